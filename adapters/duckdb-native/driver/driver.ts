import type { DuckDBInstance } from '@duckdb/node-api';
import { messageOf, SvcError } from '../../../src/errors.ts';
import { keepByteOrderMarks } from './byte-order-mark.ts';
import { createPoll, type WaitFor } from './poll.ts';
import { endProcessInTime } from './process-exit.ts';
import { createThreadBudget } from './thread-budget.ts';

type Api = typeof import('@duckdb/node-api');

/** Opens a database file, or `:memory:`, with options of DuckDB's own. */
export type OpenInstance = (
  path: string,
  options?: Readonly<Record<string, string>>,
) => Promise<DuckDBInstance>;

/** The native driver's API, and our additions to it. */
export interface Driver {
  readonly api: Api;
  readonly openInstance: OpenInstance;
  readonly waitFor: WaitFor;
}

let driver: Promise<Driver> | undefined;

/** Loads the optional driver once; throws `database_unavailable` if the package is not installed. */
export function loadDriver(): Promise<Driver> {
  driver ??= importDriver();
  return driver;
}

async function importDriver(): Promise<Driver> {
  try {
    const [api, bindings] = await Promise.all([import('@duckdb/node-api'), import('@duckdb/node-bindings')]);
    keepByteOrderMarks(api);
    endProcessInTime();
    return {
      api,
      openInstance: (path, options = {}) => api.DuckDBInstance.create(path, { ...options }),
      waitFor: createPoll(bindings.default, createThreadBudget(process.env.UV_THREADPOOL_SIZE)),
    };
  } catch (cause) {
    throw new SvcError(
      'database_unavailable',
      `The native database engine needs the package @duckdb/node-api, which cannot be loaded here: ${messageOf(cause)}
Install it with \`npm install @duckdb/node-api@1.5.5-r.5\`, or use a read-only database with \`engine: wasm\`.`,
      { cause },
    );
  }
}
