import type { DuckDBInstance } from '@duckdb/node-api';
import { keepDuring } from './keep.ts';

type Api = typeof import('@duckdb/node-api');
type Bindings = Pick<typeof import('@duckdb/node-bindings'), 'create_config' | 'set_config' | 'open'>;

/** Opens a database file, or `:memory:`, with options of DuckDB's own. */
export type OpenInstance = (
  path: string,
  options?: Readonly<Record<string, string>>,
) => Promise<DuckDBInstance>;

/** In place of the driver's own `create`, which leaves the configuration to be collected while it is read. */
export function createOpenInstance({ DuckDBInstance: Instance }: Api, bindings: Bindings): OpenInstance {
  return async (path, options = {}) => {
    const config = bindings.create_config();
    for (const [name, value] of Object.entries(options)) bindings.set_config(config, name, value);
    return new Instance(await keepDuring(config, () => bindings.open(path, config)));
  };
}
