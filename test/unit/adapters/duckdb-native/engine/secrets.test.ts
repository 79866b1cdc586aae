import { describe, expect, it, onTestFinished } from 'vitest';
import { loadDriver } from '../../../../../adapters/duckdb-native/driver/driver.ts';
import { applySecrets, toSecretStatement } from '../../../../../adapters/duckdb-native/engine/secrets.ts';
import { openNative } from '../../../../../adapters/duckdb-native/open.ts';
import type { DatabaseSecret } from '../../../../../adapters/duckdb-native/options.ts';

const secret = (parameters: DatabaseSecret['parameters'], type = 'http', name = 's'): DatabaseSecret => ({
  name,
  type,
  parameters,
});

async function connect() {
  const { openInstance } = await loadDriver();
  const instance = await openInstance(':memory:', { autoload_known_extensions: 'false' });
  const connection = await instance.connect();
  onTestFinished(() => {
    connection.closeSync();
    instance.closeSync();
  });
  return connection;
}

describe('secrets of the database', () => {
  // Requirements: secret.database
  it('are created with every value as it is', async () => {
    const connection = await connect();
    const odd = `it's "odd" \\ ; DROP TABLE x; -- ünï\n`;
    const given = [
      secret({ bearer_token: odd, extra_http_headers: { "a'b": odd, n: 1 } }, 'HTTP', 'a "b" c'),
    ];
    expect(await applySecrets(connection, given)).toEqual([]);
    const found = await connection.runAndReadAll('FROM duckdb_secrets()');
    const [row] = found.getRowsJson();
    expect(row?.[0]).toBe('a "b" c');
    expect(String(row?.[6])).toContain('bearer_token=redacted');
    expect(String(row?.[6])).toMatch(/a\\?'b.*=/);
  });

  // Requirements: secret.database
  it('leave out what the database does not know, and what has no parameters', async () => {
    const given = [
      secret({ a: 'x' }, 'custom', 'one'),
      secret({ host: 'h' }, 'database', 'two'),
      secret({ key_id: 'x' }, 's3', 'three'),
      secret({}, 'http', 'four'),
      secret({ a: 'x' }, 'no type;', 'five'),
      secret({ bearer_token: 'x' }, 'http', 'six'),
    ];
    expect(await applySecrets(await connect(), given)).toEqual(['one', 'two', 'three', 'four', 'five']);
  });

  it('say which parameter is wrong, never its value', async () => {
    const failed = applySecrets(await connect(), [secret({ bearer: 'planted' })]);
    await expect(failed).rejects.toThrow('The secret s of type http cannot be used: http has no bearer.');
    const mixed = applySecrets(await connect(), [secret({ extra_http_headers: 'planted' })]);
    const error = await mixed.catch((thrown: Error) => thrown);
    expect(String(error)).toMatch(/cannot be used: the database refuses its parameters/);
    expect(JSON.stringify(error) + String(error)).not.toContain('planted');
    expect(() => toSecretStatement(secret({ bearer_token: 'a\0b' }))).toThrow('NUL');
  });

  it('cannot be listed by the statement of an endpoint', async () => {
    const secrets = [secret({ bearer_token: 'planted' })];
    const database = await openNative({ path: ':memory:', readonly: false, secrets });
    onTestFinished(() => database.close());
    const call = { caller: null, signal: new AbortController().signal, timeoutMs: 5_000 };
    const run = (sql: string, mode: 'read' | 'write') =>
      database.run({ sql, mode, values: [], maxRows: 10 }, call).then(({ rows }) => JSON.stringify(rows));
    for (const sql of ['FROM duckdb_secrets()', 'SELECT * FROM system.main."DuckDB_Secrets" ()']) {
      await expect(run(sql, 'read')).rejects.toThrow(/duckdb_secrets/i);
      await expect(run(`CREATE TABLE t AS ${sql}`, 'write')).rejects.toThrow(/duckdb_secrets/i);
    }
    expect(await run("FROM which_secret('https://x.example', 'http')", 'read')).not.toContain('planted');
  });
});
