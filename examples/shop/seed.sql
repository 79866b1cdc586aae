CREATE TABLE customers (
  id INTEGER PRIMARY KEY,
  name VARCHAR NOT NULL,
  email VARCHAR NOT NULL,
  phone VARCHAR,
  street VARCHAR NOT NULL,
  city VARCHAR NOT NULL,
  credit_limit DECIMAL(10, 2) NOT NULL,
  note VARCHAR
);
INSERT INTO customers VALUES
  (1, 'Ada Lovelace', 'ada@example.com', '+44 20 7946 0001', '12 St James Square', 'London', 5000.00, 'pays early'),
  (2, 'Grace Hopper', 'grace@example.com', NULL, '5 Harbor Road', 'Arlington', 12500.50, NULL),
  (3, 'Alan Turing', 'alan@example.com', '+44 161 496 0003', '9 Adlington Road', 'Wilmslow', 800.00, 'call before delivery');

CREATE TABLE products (
  sku VARCHAR PRIMARY KEY,
  name VARCHAR NOT NULL,
  category VARCHAR NOT NULL,
  price DECIMAL(8, 2) NOT NULL,
  stock INTEGER NOT NULL,
  labels VARCHAR[] NOT NULL,
  picture BLOB
);
INSERT INTO products VALUES
  ('TEA-001', 'Teapot', 'kitchen', 39.90, 12, ['gift', 'fragile'], from_base64('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==')),
  ('TEA-002', 'Cup', 'kitchen', 8.50, 140, ['gift'], NULL),
  ('LMP-001', 'Desk lamp', 'office', 64.00, 5, ['electric'], NULL),
  ('PEN-001', 'Fountain pen', 'office', 120.00, 0, ['gift', 'engraving'], NULL);

CREATE TABLE orders (
  id INTEGER PRIMARY KEY,
  customer_id INTEGER NOT NULL,
  ordered_at TIMESTAMPTZ NOT NULL,
  delivery DATE,
  slot TIME,
  packing INTERVAL,
  status VARCHAR NOT NULL,
  total DECIMAL(10, 2) NOT NULL
);
INSERT INTO orders VALUES
  (100, 1, '2026-01-15 09:30:00+00', '2026-01-20', '14:00:00', INTERVAL 2 HOURS, 'delivered', 79.80),
  (101, 2, '2026-02-03 16:45:00+00', '2026-02-06', '09:00:00', INTERVAL 45 MINUTES, 'delivered', 128.00),
  (102, 1, '2026-02-27 11:05:00+00', NULL, NULL, NULL, 'open', 120.00),
  (103, 3, '2026-03-09 08:00:00+00', NULL, NULL, NULL, 'open', 17.00);

CREATE TABLE write_offs (
  sku VARCHAR NOT NULL,
  pieces INTEGER NOT NULL,
  reason VARCHAR NOT NULL
);
