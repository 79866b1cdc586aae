import { TYPE } from '../query/types.ts';
import type { CppInstance } from './cpp.ts';

/** A SQL type by its name; `[]` behind it makes a list of it. */
export type SqlTypeName =
  | keyof typeof TYPE
  | 'ANY'
  | 'JSON'
  | `${keyof typeof TYPE | 'ANY' | 'JSON'}[]`
  | 'VARCHAR[][]';

const ANY = 34;

/** Logical types in the engine's memory, created once each. */
export class SqlTypes {
  readonly #instance: CppInstance;
  readonly #made = new Map<string, number>();

  constructor(instance: CppInstance) {
    this.#instance = instance;
  }

  /** The address of a type. */
  get(name: string): number {
    const known = this.#made.get(name) ?? this.#make(name);
    this.#made.set(name, known);
    return known;
  }

  #make(name: string): number {
    const { call, withText } = this.#instance;
    if (name.endsWith('[]')) return call.duckdb_create_list_type(this.get(name.slice(0, -2)));
    if (name === 'ANY') return call.duckdb_create_logical_type(ANY);
    const id = Object.entries(TYPE).find(([known]) => known === name)?.[1] ?? TYPE.VARCHAR;
    const type = call.duckdb_create_logical_type(id);
    // DuckDB's JSON is VARCHAR with an alias.
    if (name === 'JSON') withText(name, (at) => call.duckdb_logical_type_set_alias(type, at));
    return type;
  }
}
