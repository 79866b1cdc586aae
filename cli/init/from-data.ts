import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { stringify } from 'yaml';
import { fillDatabase } from '../../adapters/duckdb-native/files/database-file.ts';
import { chooseDatabase } from '../../adapters/node/database/database-choice.ts';
import { inspectFile, refusalOf } from '../../adapters/node/database/database-file.ts';
import { openNodeDatabase } from '../../adapters/node/database/open-database.ts';
import { makeFolder } from '../../adapters/node/make-folder.ts';
import { copyDatabase } from '../../deploy/database.ts';
import { type LoadSource, loadTables, parseLoadSource } from '../../deploy/load-tables.ts';
import { SvcError, toSvcError } from '../../src/errors.ts';
import type { Database } from '../../src/ports.ts';
import { quoteName } from '../../src/sql/quote.ts';
import { deleteOnSignal } from '../io/delete-on-signal.ts';
import { ensureWasmArtefact } from '../project/wasm-artefact.ts';

/** A table or a view to make a tool of. */
export interface DataTable {
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly Column[];
  readonly keys: readonly string[];
  readonly view: boolean;
}

/** Plain JSON. */
type Column = {
  readonly name: string;
  readonly type: string;
};

/** The tools of a database. */
interface Tools {
  /** The text of each endpoint file, by its path. */
  readonly files: Readonly<Record<string, string>>;
  /** A sentence for each table or view without a tool. */
  readonly notes: readonly string[];
  readonly tables: readonly DataTable[];
}

/**
 * Creates a database file from the files that `--from` names, and passes the tools for its tables to `write`. If any
 * step fails, `write` included, it deletes the database and the folders that it made.
 *
 * @throws project_invalid if the database file exists, or if a file cannot be loaded.
 */
export async function createFromData(
  database: string,
  names: readonly string[],
  write: (tools: Tools) => Promise<void>,
): Promise<void> {
  for (const path of [database, `${database}.wal`]) if (existsSync(path)) throw taken(path);
  const sources = names.map((name) => parseLoadSource(name, process.cwd(), '--from'));
  const fresh = `${database}.${randomUUID()}`;
  const made = makeFolder(dirname(database));
  const keep = deleteOnSignal([fresh, `${fresh}.wal`, ...(made === undefined ? [] : [made])]);
  try {
    await load(fresh, sources);
    await write(await toolsOf(fresh));
    await rename(fresh, database);
  } catch (thrown) {
    if (made !== undefined) await rm(made, { recursive: true, force: true });
    throw thrown;
  } finally {
    for (const rest of [fresh, `${fresh}.wal`]) await rm(rest, { force: true });
    keep();
  }
}

function taken(path: string): SvcError {
  return new SvcError(
    'project_invalid',
    `${path} exists already. Nothing was written. Move it to another folder, or choose another --profile.`,
  );
}

/** Copies the database, if the sources name one, and loads the other files into it. */
async function load(path: string, sources: readonly LoadSource[]): Promise<void> {
  const databases: LoadSource[] = [];
  const tables: LoadSource[] = [];
  for (const source of sources) ((await isDatabase(source)) ? databases : tables).push(source);
  const [database, second] = databases;
  if (second !== undefined) {
    throw new SvcError('usage', `--from ${second.pattern}: only one of the files may be a database.`);
  }
  if (database !== undefined) await copyInto(path, database);
  if (tables.length > 0) await loadTables(path, { sources: tables, replace: false, option: '--from' });
}

async function copyInto(path: string, { table, pattern }: LoadSource): Promise<void> {
  if (table !== null) {
    throw new SvcError(
      'usage',
      `--from ${table}=${pattern}: a database keeps the names of its tables. Remove \`${table}=\`.`,
    );
  }
  const file = await inspectFile(pattern);
  const refusal = refusalOf(pattern, file);
  if (refusal !== null && file.kind !== 'duckdb') {
    // The second line is advice for the database of a project.
    throw new SvcError('project_invalid', `${refusal.split('\n')[0]}\nName another file with --from.`);
  }
  await copyDatabase(pattern, path);
  // The copy has the mode of the original, which may be read-only.
  await chmod(path, ((await stat(path)).mode & 0o777) | 0o200);
}

/** Whether a file is a DuckDB database, by its extension or its first bytes. A missing one is not. */
async function isDatabase({ pattern }: LoadSource): Promise<boolean> {
  const { kind } = await inspectFile(pattern);
  return kind === 'duckdb' || (kind !== 'missing' && /\.(duckdb|ddb|db)$/i.test(pattern));
}

const QUERY = `SELECT json_object('schema', t.schema_name, 'name', t.table_name, 'view', t.view,
  'columns', (SELECT list(json_object('name', column_name, 'type', data_type) ORDER BY column_index)
    FROM duckdb_columns() c WHERE (c.database_oid, c.schema_oid, c.table_oid) = (t.database_oid, t.schema_oid, t.table_oid)),
  'keys', coalesce((SELECT constraint_column_names FROM duckdb_constraints() k
    WHERE (k.database_oid, k.schema_oid, k.table_oid) = (t.database_oid, t.schema_oid, t.table_oid)
      AND constraint_type = 'PRIMARY KEY' LIMIT 1), []))
FROM (
  SELECT database_name, database_oid, schema_name, schema_oid, table_name, table_oid, internal, false AS view FROM duckdb_tables()
  UNION ALL SELECT database_name, database_oid, schema_name, schema_oid, view_name, view_oid, internal, true FROM duckdb_views()
) t WHERE NOT internal AND database_name = current_database()
ORDER BY t.schema_name, t.table_name`;

/** Makes a tool for each table and each view that the engine can read as it serves the project. */
async function toolsOf(path: string): Promise<Tools> {
  const described = await fillDatabase(path, ({ column }) => column(QUERY));
  const tables = described.map((text): DataTable => JSON.parse(text));
  const database = await openAsServed(path);
  const names = new Set<string>();
  const files: [string, string][] = [];
  const notes: string[] = [];
  try {
    for (const table of tables) {
      const rows = await firstRowOf(database, table);
      if (rows instanceof SvcError) {
        notes.push(`The ${kindOf(table)} ${table.name} got no tool: ${rows.message.split('\n')[0]}`);
        continue;
      }
      const name = unique(`list_${toWord(table.name)}`, names);
      const file = { svc: 1, tool: toTool(name, table, rows) };
      files.push([`tools/${name}.yml`, stringify(file, { lineWidth: 0, aliasDuplicateObjects: false })]);
    }
  } finally {
    await database.close();
  }
  return { files: Object.fromEntries(files), notes, tables };
}

/** Opens the database as the new project does: read-only, and without access to other files. */
async function openAsServed(path: string): Promise<Database> {
  const site = { database: { path, readonly: true, engine: 'auto' } } as const;
  const choice = { ...chooseDatabase(dirname(path), site, process.env), path, readonly: true };
  if (choice.engine === 'wasm') await ensureWasmArtefact();
  return openNodeDatabase(choice);
}

/** As long as a person waits: large views are slow. */
const TIMEOUT_MS = 3_600_000;

/** Returns the number of rows, at most 1, or why the engine cannot read them, such as a view over a file. */
async function firstRowOf(database: Database, table: DataTable): Promise<number | SvcError> {
  const request = {
    sql: `SELECT * FROM ${nameOf(table)} LIMIT 1`,
    values: [],
    mode: 'read',
    maxRows: 1,
  } as const;
  const { signal } = new AbortController();
  try {
    return (await database.run(request, { caller: null, signal, timeoutMs: TIMEOUT_MS })).rows.length;
  } catch (thrown) {
    return toSvcError(thrown);
  }
}

function kindOf({ view }: DataTable): string {
  return view ? 'view' : 'table';
}

/** DuckDB casts the text to the column's type, and refuses any other form. */
const UUID = '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$';

/** The types of columns that can be filtered by, and the type of their parameter. */
const TYPES: readonly (readonly [RegExp, object])[] = [
  [/^BOOLEAN$/, { type: 'boolean', examples: [true] }],
  [/^U?(TINY|SMALL|BIG)?INT(EGER)?$/, { type: 'integer', examples: [1] }],
  [/^VARCHAR$/, { type: 'string', maxLength: 1000, examples: ['a'] }],
  [/^UUID$/, { type: 'string', pattern: UUID, examples: ['123e4567-e89b-42d3-a456-426614174000'] }],
  [/^DATE$/, { type: 'string', format: 'date', examples: ['2024-01-31'] }],
];

const MOST_FILTERS = 3;

function toTool(name: string, table: DataTable, rows: number) {
  const names = new Set(['limit']);
  const known = table.columns.filter(({ type }) => TYPES.some(([pattern]) => pattern.test(type)));
  const keys = known.filter((column) => table.keys.includes(column.name));
  const filters = (keys.length > 0 ? keys : known.slice(0, MOST_FILTERS)).map((column) => ({
    ...column,
    parameter: unique(toWord(column.name), names),
    form: TYPES.find(([pattern]) => pattern.test(column.type))?.[1],
  }));
  const where = filters.map(
    ({ parameter, name: column, type }) =>
      `($${parameter}::${type} IS NULL OR ${quoteName(column)} = $${parameter}::${type})`,
  );
  // A key makes the order total, so that the same call returns the same rows.
  const order = table.keys.length > 0 ? `\nORDER BY ${table.keys.map(quoteName).join(', ')}` : '';
  const code = `SELECT * FROM ${nameOf(table)}${where.length > 0 ? `\nWHERE ${where.join('\n  AND ')}` : ''}${order}\nLIMIT $limit\n`;
  const limit = {
    name: 'limit',
    type: 'integer',
    description: 'The most rows to return',
    minimum: 1,
    maximum: 1000,
  };
  return {
    name,
    description: `Lists rows of the ${kindOf(table)} ${table.name}, optionally filtered by exact values.`,
    tags: ['read'],
    annotations: { title: `List ${table.name}`, readOnlyHint: true },
    parameters: [
      ...filters.map(({ parameter, name: column, form }) => ({
        name: parameter,
        ...form,
        description: `Only rows where ${column} is this value`,
        default: null,
      })),
      { ...limit, default: 100, examples: [10] },
    ],
    return: {
      type: 'array',
      description: 'Rows',
      items: { type: 'object', description: 'A row', additionalProperties: true },
    },
    source: { code },
    tests: [
      {
        name: 'at most one row',
        description: 'The limit holds',
        arguments: [{ key: 'limit', value: 1 }],
        result_length: rows,
      },
    ],
  };
}

/** Makes a name of at most 40 ASCII letters, digits and _ from any name; it begins with a letter. */
function toWord(text: string): string {
  const word = text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
  return (/^[a-z]/.test(word) ? word : `c_${word}`).slice(0, 40).replace(/_$/, '');
}

/** The name, with a number if the set has it. Adds the result to the set. */
function unique(name: string, names: Set<string>): string {
  let free = name;
  for (let number = 2; names.has(free); number += 1) free = `${name}_${number}`;
  names.add(free);
  return free;
}

function nameOf({ schema, name }: Pick<DataTable, 'schema' | 'name'>): string {
  return `${quoteName(schema)}.${quoteName(name)}`;
}
