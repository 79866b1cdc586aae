import { loadDriver } from '../../adapters/duckdb-native/driver/driver.ts';

/** The names by which SQL reaches into DuckDB; a new one may lead out of the sandbox. */
export interface Surface {
  readonly functions: readonly string[];
  readonly settings: readonly string[];
  readonly kinds: readonly string[];
  readonly types: readonly string[];
}

/** One list of a surface, with its new and its missing entries. */
export interface Change {
  readonly list: keyof Surface;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** The surface of the native engine, of which the wasm engine has a part. */
export async function readSurface(): Promise<Surface> {
  const { api, openInstance } = await loadDriver();
  const instance = await openInstance(':memory:');
  const connection = await instance.connect();
  const column = async (sql: string): Promise<readonly string[]> =>
    (await connection.runAndReadAll(sql)).getRows().map(([value]) => String(value));
  try {
    return {
      functions: await column(
        "SELECT DISTINCT function_type || ' ' || function_name AS f FROM duckdb_functions() WHERE internal ORDER BY f",
      ),
      settings: await column('SELECT DISTINCT name FROM duckdb_settings() ORDER BY name'),
      kinds: namesOf(api.StatementType),
      types: namesOf(api.DuckDBTypeId),
    };
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** The names of an enum, without the numbers that lead back to them. */
function namesOf(numbers: object): readonly string[] {
  return Object.keys(numbers).filter((name) => !/^\d+$/.test(name));
}

/** Returns the differences between two surfaces. */
export function changesOf(before: Surface, after: Surface): readonly Change[] {
  const lists = ['functions', 'settings', 'kinds', 'types'] as const;
  return lists
    .map((list) => ({
      list,
      added: after[list].filter((name) => !before[list].includes(name)),
      removed: before[list].filter((name) => !after[list].includes(name)),
    }))
    .filter(({ added, removed }) => added.length + removed.length > 0);
}
