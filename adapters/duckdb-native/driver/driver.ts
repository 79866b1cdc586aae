import type {
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBPreparedStatement,
  DuckDBType,
  DuckDBVector,
} from '@duckdb/node-api';
import { messageOf, SvcError } from '../../../src/errors.ts';
import { loadPart, NATIVE_PART } from '../../optional-packages.ts';
import { createPoll, type WaitFor } from './poll.ts';
import { endProcessInTime } from './process-exit.ts';
import { readTextsTogether } from './texts.ts';
import { createThreadBudget, type ThreadBudget } from './thread-budget.ts';

type Api = typeof import('@duckdb/node-api');

/** Opens a database file, or `:memory:`, with options of DuckDB's own. */
export type OpenInstance = (
  path: string,
  options?: Readonly<Record<string, string>>,
) => Promise<DuckDBInstance>;

/** Reads a column of a chunk whose type is known. The driver by itself would ask DuckDB for the type of each column. */
export type VectorOf = (chunk: DuckDBDataChunk, column: number, type: DuckDBType) => DuckDBVector;

/** The native driver's API, and our additions to it. */
export interface Driver {
  readonly api: Api;
  readonly openInstance: OpenInstance;
  readonly vectorOf: VectorOf;
  readonly waitFor: WaitFor;
  /** Binds NULL of a type. The driver's own NULL has none. */
  readonly bindTypedNull: (statement: DuckDBPreparedStatement, index: number, type: DuckDBType) => void;
  /** Waits for one of the threads of Node's pool that statements may occupy (`ThreadBudget`). */
  readonly takeThread: ThreadBudget['takeSoon'];
}

let driver: Promise<Driver> | undefined;

/** Loads the optional driver once; throws `database_unavailable` if the package is not installed. */
export function loadDriver(): Promise<Driver> {
  driver ??= importDriver();
  return driver;
}

async function importDriver(): Promise<Driver> {
  const [api, bindings] = await importPackages();
  readTextsTogether(api, bindings.default.get_data_from_pointer);
  endProcessInTime();
  const budget = createThreadBudget(process.env.UV_THREADPOOL_SIZE);
  return {
    api,
    openInstance: (path, options = {}) => api.DuckDBInstance.create(path, { ...options }),
    vectorOf: ({ chunk, rowCount }, column, type) =>
      api.DuckDBVector.create(bindings.default.data_chunk_get_vector(chunk, column), rowCount, type),
    waitFor: createPoll(bindings.default, budget),
    bindTypedNull: (statement, index, type) => bindTypedNull(bindings.default, statement, { index, type }),
    takeThread: budget.takeSoon,
  };
}

/** DuckDB gives the NULL among the items of a list their type. */
function bindTypedNull(
  bindings: typeof import('@duckdb/node-bindings'),
  statement: DuckDBPreparedStatement,
  { index, type }: { readonly index: number; readonly type: DuckDBType },
): void {
  const list = bindings.create_list_value(type.toLogicalType().logical_type, [bindings.create_null_value()]);
  bindings.bind_value(Reflect.get(statement, 'prepared_statement'), index, bindings.get_list_child(list, 0));
}

async function importPackages() {
  try {
    return await loadPart(NATIVE_PART, () =>
      Promise.all([import('@duckdb/node-api'), import('@duckdb/node-bindings')]),
    );
  } catch (cause) {
    if (cause instanceof SvcError) throw cause;
    throw new SvcError(
      'database_unavailable',
      `The native database engine cannot be loaded here: ${messageOf(cause)}
Install @duckdb/node-api again for this machine's processor and system, or use a read-only database with \`engine: wasm\`.`,
      { cause },
    );
  }
}
