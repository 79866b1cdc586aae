import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { stringify } from 'yaml';
import { type Filling, fillDatabase } from '../../adapters/duckdb-native/files/database-file.ts';
import { inspectFile, refusalOf } from '../../adapters/node/database/database-file.ts';
import { makeFolder } from '../../adapters/node/make-folder.ts';
import { copyDatabase } from '../../deploy/database.ts';
import { type LoadSource, loadTables, parseLoadSource } from '../../deploy/load-tables.ts';
import { SvcError } from '../../src/errors.ts';
import { quoteName } from '../../src/sql/quote.ts';
import { deleteOnSignal } from '../io/delete-on-signal.ts';

/** A table or a view to make a tool of. */
interface DataTable {
  readonly schema: string;
  readonly name: string;
  readonly rows: number;
  readonly columns: readonly Column[];
  readonly keys: readonly string[];
  readonly view: boolean;
}

interface Column {
  readonly name: string;
  readonly type: string;
}

/** The text of each file of a new project, by its path. */
type Files = Readonly<Record<string, string>>;

/**
 * Creates a database file from the files that `--from` names, and passes the tools for its tables to `write`. If any
 * step fails, `write` included, it deletes the database and the folders that it made.
 *
 * @throws project_invalid if the database file exists, or if a file cannot be loaded.
 */
export async function createFromData(
  database: string,
  names: readonly string[],
  write: (tools: Files) => Promise<void>,
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

/** The endpoint files of a database: one tool for each table and each view that can be read. */
async function toolsOf(path: string): Promise<Files> {
  const tables = await fillDatabase(path, async ({ column }) => {
    const found: DataTable[] = [];
    for (const text of await column(QUERY)) {
      const table = JSON.parse(text) as Omit<DataTable, 'rows'>;
      const rows = await countOf(table, column);
      if (rows !== null) found.push({ ...table, rows });
    }
    return found;
  });
  const names = new Set<string>();
  return Object.fromEntries(
    tables.map((table) => {
      const name = unique(`list_${toWord(table.name)}`, names);
      const file = { svc: 1, tool: toTool(name, table) };
      return [`tools/${name}.yml`, stringify(file, { lineWidth: 0, aliasDuplicateObjects: false })];
    }),
  );
}

/** The number of rows; null for a view that cannot be read, such as one over a file that is not here. */
async function countOf(table: Omit<DataTable, 'rows'>, column: Filling['column']): Promise<number | null> {
  try {
    const [rows] = await column(`SELECT count(*) FROM ${nameOf(table)}`);
    return Number(rows);
  } catch (thrown) {
    if (!table.view) throw thrown;
    return null;
  }
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

function toTool(name: string, table: DataTable) {
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
    description: `Lists rows of the ${table.view ? 'view' : 'table'} ${table.name}, optionally filtered by exact values.`,
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
        result_length: Math.min(table.rows, 1),
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
