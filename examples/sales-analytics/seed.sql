-- Two years of orders without any chance in them: the same numbers on every machine.
CREATE TABLE products AS
SELECT * FROM (VALUES
  (1, 'Espresso machine', 'machines', 249.00, 161.85), (2, 'Grinder', 'machines', 129.00, 87.70),
  (3, 'Kettle', 'machines', 64.50, 38.70), (4, 'Filter paper', 'supplies', 4.90, 1.95),
  (5, 'Beans, dark', 'coffee', 14.50, 8.70), (6, 'Beans, light', 'coffee', 15.90, 9.85),
  (7, 'Cup', 'crockery', 7.25, 2.90), (8, 'Saucer', 'crockery', 4.10, 1.60)
) AS t(id, name, category, price, cost);

CREATE TABLE customers AS
SELECT i AS id, 'Customer ' || lpad(i::VARCHAR, 3, '0') AS name, ['DE', 'FR', 'NL', 'AT'][1 + i % 4] AS country
FROM range(1, 81) AS t(i);

CREATE TABLE orders AS
SELECT
  i AS id,
  1 + (i * 37 + i // 11) % 80 AS customer_id,
  1 + (i * 13 + i // 7) % 8 AS product_id,
  1 + (i * 7) % 4 AS quantity,
  (DATE '2024-01-01' + CAST((i * 731) // 4000 AS INTEGER)) AS ordered_at
FROM range(0, 4000) AS t(i);

CREATE VIEW sales AS
SELECT o.id, o.ordered_at, c.id AS customer_id, c.name AS customer, c.country, p.name AS product, p.category,
  o.quantity, o.quantity * p.price AS revenue, o.quantity * p.cost AS cost
FROM orders AS o JOIN customers AS c ON c.id = o.customer_id JOIN products AS p ON p.id = o.product_id;
