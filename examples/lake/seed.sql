-- One statement, so that `svc query --file seed.sql` fills the lake with what the file has.
CREATE TABLE sales AS
SELECT
  i::INTEGER AS id,
  DATE '2025-01-01' + (i % 365)::INTEGER AS day,
  ['north', 'south', 'east', 'west'][1 + i % 4] AS region,
  ['coffee', 'tea', 'söup'][1 + i % 3] AS product,
  (1 + i % 7)::INTEGER AS quantity,
  (2 + (i * 37 % 1000) / 100)::DECIMAL(10, 2) AS price
FROM range(1, 2001) AS t(i)
