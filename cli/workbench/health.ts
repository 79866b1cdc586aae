import { withLease } from '../../src/call/lease.ts';
import { toSvcError } from '../../src/errors.ts';
import type { Started } from '../serve/started.ts';
import type { DatabaseHealth } from './model.ts';

const PATIENCE_MS = 5_000;

/** Asks the project's database and each attached one. A database that does not answer is a fact, and no error. */
export async function checkDatabases({ checked, runtime }: Started): Promise<readonly DatabaseHealth[]> {
  const attached = checked.project.site?.database.attach ?? [];
  const statements = [
    { name: 'database', sql: 'SELECT 1 AS ok' },
    ...attached.map(({ name }) => ({ name, sql: `SELECT count(*) AS ok FROM ${inCatalog(name)}` })),
  ];
  return Promise.all(
    statements.map(async ({ name, sql }) => {
      const startedAt = performance.now();
      const message = await ask(runtime, sql);
      return { name, ok: message === null, ms: Math.round(performance.now() - startedAt), message };
    }),
  );
}

/** The tables of an attached database: listing them makes a lost server connect again, or fail. */
function inCatalog(name: string): string {
  return `(SELECT 1 FROM duckdb_tables() WHERE database_name = '${name.replaceAll("'", "''")}')`;
}

async function ask(runtime: Started['runtime'], sql: string): Promise<string | null> {
  const { signal } = new AbortController();
  const request = { sql, values: [], mode: 'read', maxRows: 1 } as const;
  const call = { caller: null, signal, timeoutMs: PATIENCE_MS };
  try {
    await withLease(runtime, signal, async (leased) => (await leased.database()).run(request, call));
    return null;
  } catch (thrown) {
    return toSvcError(thrown).message;
  }
}
