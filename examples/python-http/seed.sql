CREATE TABLE products (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, price DECIMAL(10, 2) NOT NULL);
INSERT INTO products VALUES (1, 'Kettle', 49.90), (2, 'Toaster', 35.00), (3, 'Grinder', 120.50);
