-- Fills the database when there is none yet; delete data/ to start over.
CREATE TABLE sales (product VARCHAR NOT NULL, sold_at DATE NOT NULL, amount DECIMAL(10, 2) NOT NULL);

INSERT INTO sales VALUES
  ('Teapot', DATE '2026-02-27', 39.90),
  ('Teapot', DATE '2026-03-02', 39.90),
  ('Kettle', DATE '2026-03-03', 64.50),
  ('Cup', DATE '2026-03-07', 7.25),
  ('Cup', DATE '2026-03-07', 7.25),
  ('Saucer', DATE '2026-03-12', 4.10),
  ('Teapot', DATE '2026-03-19', 35.00),
  ('Cup', DATE '2026-04-01', 7.25),
  ('Kettle', DATE '2026-04-05', 64.50);
