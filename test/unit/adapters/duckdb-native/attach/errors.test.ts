import { describe, expect, it } from 'vitest';
import { createAttachments } from '../../../../../adapters/duckdb-native/attach/attachments.ts';
import { isLostConnection } from '../../../../../adapters/duckdb-native/attach/errors.ts';
import { SvcError } from '../../../../../src/errors.ts';

const REFUSED =
  'connection to server at "127.0.0.1", port 1 failed: Connection refused\n\tIs the server running on that host?\n';
const CLOSED =
  'server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally\n\tbefore or while processing the request.\n';
const UNCONNECTED = `Unable to connect to Postgres at "host=127.0.0.1 port=1 dbname=d": ${REFUSED}`;

describe('a lost connection', () => {
  // DuckDB 1.5.5, its extensions and libpq 15 wrote those of Postgres; those of MySQL are in its extension's file.
  it.each([
    `IO Error: ${UNCONNECTED}`,
    `IO Error: Failed to query most recent snapshot for DuckLake: ${UNCONNECTED}\n\nLINE 2: \tSELECT * FROM postgres_query('__ducklake_metadata_k',\n                      ^`,
    `TransactionContext Error: Failed to commit: Failed to execute query "COMMIT": ${CLOSED}`,
    `Invalid Error: Failed to execute query "ROLLBACK": ${CLOSED}`,
    `Invalid Error: Failed to execute query "SELECT '": x'": ${CLOSED}`,
    'IO Error: Failed to fetch header for COPY: FATAL:  terminating connection due to administrator command\n',
    'IO Error: Failed to execute MySQL query "SELECT 1": Server has gone away',
    'IO Error: Failed to run query "SELECT 1": Lost connection to server during query',
    `IO Error: Failed to connect to MySQL database with parameters "host=h": Can't connect. Attempted host: h`,
  ])('is one: %s', (text) => {
    expect(isLostConnection(text)).toBe(true);
  });

  it.each([
    "Conversion Error: Could not convert string 'she has gone away' to INT32",
    `Conversion Error: Could not convert string '${CLOSED}' to INT32`,
    `Conversion Error: Could not convert string 'IO Error: ${UNCONNECTED}' to INT32`,
    `Invalid Input Error: ${UNCONNECTED}`,
    'Constraint Error: Duplicate key "s: terminating connection" violates unique constraint.',
    'Invalid Error: Failed to copy data: ERROR:  duplicate key value violates unique constraint "t_s_key"\nDETAIL:  Key (s)=(has gone away) already exists.\n',
    `Invalid Error: Failed to copy data: ERROR:  duplicate key value violates unique constraint "t_s_key"\nDETAIL:  Key (s)=(: ${CLOSED}) already exists.\n`,
    `Invalid Error: Failed to execute query "SELECT '": ${CLOSED}'": ERROR:  division by zero\n`,
    `IO Error: Failed to execute MySQL query "SELECT ': Server has gone away'": Incorrect integer value: 'x' for column 'a'`,
  ])('is none: %s', (text) => {
    expect(isLostConnection(text)).toBe(false);
  });
});

describe('of several servers', () => {
  const attach = [
    { name: 'sales', uri: 'postgres:host=127.0.0.1 port=1 dbname=d' },
    { name: 'stock', uri: 'ducklake:postgres:host=elsewhere dbname=lake' },
    { name: 'notes', uri: 'notes.sqlite' },
  ];
  const explained = (text: string): unknown =>
    createAttachments({ attach, use: null, root: '/', secrets: [], readonly: true }).explain(
      new SvcError('sql_failed', text),
    );

  it('only the one is lost that the text names', () => {
    expect(explained(`IO Error: ${UNCONNECTED}`)).toMatchObject({
      code: 'database_unavailable',
      message: expect.stringMatching(/^The attached database sales cannot be reached: /),
    });
    const lake = UNCONNECTED.replace(/"host.*d"/, '"host=elsewhere dbname=lake connect_timeout=10"');
    expect(explained(`IO Error: Failed to query most recent snapshot for DuckLake: ${lake}`)).toMatchObject({
      message: expect.stringMatching(/^The attached database stock cannot be reached: /),
    });
  });

  it('all are, if the text names none', () => {
    expect(explained(`Invalid Error: Failed to execute query "ROLLBACK": ${CLOSED}`)).toMatchObject({
      message: expect.stringMatching(/^The attached database sales or stock cannot be reached: /),
    });
  });
});
