import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { openNative } from '../../../adapters/duckdb-native/open.ts';
import { compileEngine } from '../../../adapters/duckdb-wasm/engine/artefact.ts';
import { bytesFile, openWasm } from '../../../adapters/duckdb-wasm/in-process.ts';
import { type SvcError, toSvcError } from '../../../src/errors.ts';
import type { Database } from '../../../src/ports.ts';
import { platformIssue } from '../../../src/quality/platform.ts';

/* A process of its own with one engine: some calls end the native engine's process, and that is an answer too. */

/** What one engine answers to a statement. */
export type Answer =
  | { readonly kind: 'rows'; readonly types: readonly string[]; readonly rows: string }
  | { readonly kind: 'error'; readonly code: string; readonly message: string; readonly found: boolean }
  | { readonly kind: 'died'; readonly by: string };

/** From the process: the answer to the statement of an index. */
export type FromEngine = { readonly ready: true } | { readonly index: number; readonly answer: Answer };

/** To the process: statements, and the index of the first. */
export interface ToEngine {
  readonly first: number;
  readonly statements: readonly string[];
}

const TIMEOUT_MS = 5_000;
const MEMORY_MB = 256;
const LONGEST = 10_000;
const SERVING = { platform: null, engine: 'duckdb-wasm' } as const;

const [, , engine, path = ''] = process.argv;

async function open(): Promise<Database> {
  if (engine === 'native') return openNative({ path, readonly: true, memoryMb: MEMORY_MB, threads: 1 });
  return openWasm({ ...(await compileEngine()), file: bytesFile(await readFile(path)), memoryMb: MEMORY_MB });
}

async function answer(database: Database, sql: string): Promise<Answer> {
  const call = { caller: null, signal: new AbortController().signal, timeoutMs: TIMEOUT_MS };
  try {
    const { columns, rows } = await database.run({ sql, values: [], mode: 'read', maxRows: 1000 }, call);
    const values = rows.map((row) => Object.values(row));
    return { kind: 'rows', types: columns.map(({ type }) => type), rows: shortened(JSON.stringify(values)) };
  } catch (thrown) {
    return toAnswer(toSvcError(thrown));
  }
}

/** Long rows are compared by their digest, and shown by their beginning. */
function shortened(rows: string): string {
  if (rows.length <= LONGEST) return rows;
  return `${rows.slice(0, LONGEST)} ... ${createHash('sha256').update(rows).digest('hex')}`;
}

/** `validate --target` finds a statement that the wasm engine cannot plan for want of an extension. */
function toAnswer(error: SvcError): Answer {
  const { code, message } = error;
  return { kind: 'error', code, message, found: platformIssue(error, SERVING) !== null };
}

const send = (message: FromEngine): void => void process.send?.(message);

const database = await open();
process.on('message', async ({ first, statements }: ToEngine) => {
  for (const [offset, sql] of statements.entries()) {
    send({ index: first + offset, answer: await answer(database, sql) });
  }
});
process.on('disconnect', () => process.exit());
send({ ready: true });
