/** Tables of every kind that keeps its data in another form. */
export const KINDS = `
  CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
  CREATE SEQUENCE numbers START 7;
  CREATE TABLE orders AS SELECT i::INTEGER AS id, DATE '2024-01-01' + (i // 400)::INTEGER AS day,
    ((i * 7919) % 1000)::SMALLINT AS shop, (i * 37 % 10007) / 100 AS amount, 'customer ' || (i * 31 % 5000) AS customer,
    (['sad', 'ok', 'happy'])[1 + i % 3]::mood AS mood, CASE WHEN i % 11 = 0 THEN NULL ELSE i * 3 END AS maybe
    FROM range(200000) r(i);
  ALTER TABLE orders ADD PRIMARY KEY (id);
  CREATE INDEX by_customer ON orders (customer);
  DELETE FROM orders WHERE id BETWEEN 1000 AND 1500;
  UPDATE orders SET amount = -1 WHERE id % 5000 = 3;
  CREATE TABLE texts AS SELECT i AS id, repeat(md5(i::VARCHAR), 40) AS long, ('x' || i)::BLOB AS bytes FROM range(3000) r(i);
  CREATE TABLE nested AS SELECT i AS id, [i, i + 1, NULL] AS list, {'a': i, 'b': 'b' || i} AS struct,
    MAP {'k' || (i % 5): i} AS map, [[i], [i * 2]] AS lists FROM range(20000) r(i);
  CREATE TABLE documents AS SELECT i AS id, ('{"n": ' || i || ', "tags": ["a", "b' || (i % 3) || '"]}')::JSON AS doc FROM range(5000) r(i);
  CREATE TABLE wide AS SELECT i AS a, i * 2 AS b, i::DOUBLE / 7 AS c, i::DECIMAL(18, 3) AS d, i % 2 = 0 AS e, hash(i) AS f,
    TIMESTAMP '2024-01-01' + to_minutes(i) AS g, (i::HUGEINT * 123456789012) AS h, ('00000000-0000-0000-0000-' || lpad(i::VARCHAR, 12, '0'))::UUID AS u FROM range(30000) r(i);
  CREATE TABLE links AS SELECT i AS parent, i * 2 + 1 AS child FROM range(2000) r(i) UNION ALL SELECT i, i * 2 + 2 FROM range(2000) r(i);
  CREATE VIEW happy AS SELECT * FROM orders WHERE mood = 'happy';
  CREATE VIEW by_shop AS SELECT shop, count(*) AS orders, round(sum(amount), 2) AS total FROM orders GROUP BY shop;
  CREATE MACRO cents(x) AS (x * 100)::BIGINT;
  CREATE MACRO orders_of(s) AS TABLE SELECT id, amount FROM orders WHERE shop = s ORDER BY id;
  CREATE MACRO biggest() AS (SELECT max(amount) FROM orders);
  CREATE SCHEMA other;
  CREATE TABLE other.small AS SELECT 1 AS one, 'two' AS two;
  COMMENT ON TABLE orders IS 'the orders';
  ${Array.from({ length: 60 }, (_, index) => `CREATE TABLE t${index} AS SELECT i AS id, i * ${index} AS v FROM range(500) r(i);`).join('\n')}
`;

/** Reading statements of more than 60 kinds; each answer is the same on every run. */
export const STATEMENTS: readonly string[] = [
  'SELECT 1',
  'SELECT count(*) FROM orders',
  'SELECT * FROM orders WHERE id = 77777',
  'SELECT * FROM orders WHERE id IN (5, 1200, 199999) ORDER BY id',
  "SELECT id FROM orders WHERE customer = 'customer 4321' ORDER BY id",
  'SELECT id, amount FROM orders WHERE id BETWEEN 990 AND 1510 ORDER BY id',
  "SELECT sum(id), count(maybe) FROM orders WHERE day = DATE '2024-03-01'",
  'SELECT round(sum(amount), 2), min(amount), max(amount) FROM orders',
  'SELECT shop, count(*) FROM orders GROUP BY shop ORDER BY shop LIMIT 20',
  'SELECT mood, count(*), round(avg(amount), 4) FROM orders GROUP BY ALL ORDER BY mood',
  'SELECT id, amount FROM orders ORDER BY amount DESC, id LIMIT 10',
  'SELECT count(DISTINCT customer) FROM orders',
  "SELECT id FROM orders WHERE customer LIKE '%499' ORDER BY id LIMIT 5",
  'SELECT id FROM orders WHERE maybe IS NULL ORDER BY id LIMIT 5 OFFSET 100',
  'SELECT a.id, b.amount FROM orders a JOIN orders b ON b.id = a.id + 1 WHERE a.id < 20 ORDER BY a.id',
  'SELECT count(*) FROM orders JOIN wide ON wide.a = orders.id WHERE wide.e',
  'SELECT count(*) FROM links LEFT JOIN orders ON orders.id = links.child WHERE orders.id IS NULL',
  'SELECT count(*) FROM links ANTI JOIN orders ON orders.id = links.child',
  'SELECT t.id, x.v FROM t3 t ASOF JOIN t5 x ON t.id >= x.id WHERE t.id < 5 ORDER BY 1',
  'SELECT t.id, l.s FROM t1 t, LATERAL (SELECT sum(v) AS s FROM t2 WHERE t2.id < t.id) l WHERE t.id < 5 ORDER BY 1',
  'SELECT id FROM t4 WHERE v = (SELECT max(v) FROM t4)',
  'SELECT id FROM t4 WHERE EXISTS (SELECT 1 FROM t6 WHERE t6.id = t4.v) ORDER BY id LIMIT 3',
  'SELECT count(*) FROM happy',
  'SELECT * FROM by_shop ORDER BY total DESC, shop LIMIT 3',
  'SELECT cents(amount) FROM orders WHERE id = 9',
  'SELECT * FROM orders_of(17) LIMIT 5',
  'SELECT biggest()',
  'WITH few AS MATERIALIZED (SELECT * FROM orders WHERE shop < 10) SELECT count(*), min(id) FROM few',
  'WITH RECURSIVE down(n) AS (SELECT 1 UNION ALL SELECT child FROM links JOIN down ON links.parent = n WHERE child < 500) SELECT count(*), max(n) FROM down',
  'SELECT id, sum(amount) OVER (ORDER BY id ROWS 3 PRECEDING) AS s FROM orders WHERE id < 10 ORDER BY id',
  'SELECT id, row_number() OVER (PARTITION BY shop ORDER BY id) AS n FROM orders QUALIFY n = 150 ORDER BY id LIMIT 3',
  'SELECT id, length(long), substr(long, 1, 8) AS s FROM texts WHERE id % 1000 = 7 ORDER BY id',
  'SELECT max(long) FROM texts',
  'SELECT bytes FROM texts WHERE id = 2999',
  'SELECT * FROM nested WHERE id = 19999',
  'SELECT sum(list[2]), max(struct.b), count(map) FROM nested',
  'SELECT id, unnest(list) AS item FROM nested WHERE id = 4',
  'SELECT list_sum(flatten(lists)) AS s FROM nested WHERE id = 500',
  'SELECT doc FROM documents WHERE id = 4999',
  "SELECT sum(CAST(json_extract_string(doc, '$.n') AS INTEGER)) FROM documents",
  "SELECT doc->>'tags' FROM documents WHERE id = 3",
  'SELECT * FROM wide WHERE a = 29999',
  'SELECT sum(h), max(u), min(g), bit_xor(f) FROM wide',
  "SELECT g AT TIME ZONE 'UTC' AS t FROM wide WHERE a = 20000",
  "SELECT date_trunc('day', g) AS d, count(*) FROM wide GROUP BY 1 ORDER BY 1 LIMIT 5",
  'SELECT approx_count_distinct(b) > 0 FROM wide',
  'SELECT quantile_cont(c, 0.5), mode(e), stddev(a) > 0 FROM wide',
  "SELECT string_agg(id::VARCHAR, ',' ORDER BY id) FROM t7 WHERE id < 30",
  'SELECT histogram(id % 3) FROM t8',
  'PIVOT (SELECT shop % 3 AS s, mood, amount FROM orders WHERE id < 5000) ON mood USING count(*) GROUP BY s ORDER BY s',
  'UNPIVOT (SELECT id, v FROM t9 WHERE id < 3) ON id, v INTO NAME n VALUE x ORDER BY ALL',
  'SUMMARIZE SELECT id, v FROM t10',
  'DESCRIBE orders',
  'SHOW TABLES',
  "SELECT * FROM query('SELECT max(id) AS m FROM orders')",
  "SELECT max(id) FROM query_table('t11')",
  'FROM orders SELECT id WHERE id = 3',
  'SELECT id FROM t12 UNION SELECT id FROM t13 EXCEPT SELECT id FROM t14 WHERE id > 3 ORDER BY ALL',
  'SELECT shop % 4 AS s, mood, count(*) FROM orders WHERE id < 9999 GROUP BY GROUPING SETS ((s), (mood), ()) ORDER BY ALL',
  "SELECT table_name, column_count FROM duckdb_tables() WHERE table_name IN ('orders', 'wide') ORDER BY 1",
  "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'nested' ORDER BY 1",
  'SELECT index_name, is_unique FROM duckdb_indexes() ORDER BY 1',
  "SELECT count(*) > 3, count(DISTINCT column_name) FROM pragma_storage_info('orders')",
  "SELECT constraint_type FROM duckdb_constraints() WHERE table_name = 'orders' ORDER BY 1",
  'SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY 1',
  'SELECT stats(id) IS NOT NULL FROM orders WHERE id = 4',
  'SELECT block_size > 0, total_blocks > 3 FROM pragma_database_size()',
  'SELECT one, two FROM other.small',
  'SELECT count(*) FROM orders TABLESAMPLE 100%',
  'SELECT rowid FROM orders WHERE id = 2000',
  'SELECT id FROM orders WHERE rowid = 5000',
  'SELECT arg_max(id, amount), arg_min(id, day) FROM orders WHERE shop = 3',
  'VALUES (1, (SELECT count(*) FROM t20)), (2, (SELECT max(v) FROM t21))',
  'SELECT a.id FROM t22 a POSITIONAL JOIN t23 b WHERE a.id = 499',
];
