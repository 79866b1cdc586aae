import type { Filling } from '../adapters/duckdb-native/files/database-file.ts';
import { messageOf, SvcError, toSvcError } from '../src/errors.ts';
import { quoteName } from '../src/sql/quote.ts';

/** A table to write again in another order, as `--sort` names it. */
export interface SortedTable {
  readonly table: string;
  readonly columns: readonly string[];
}

/** Parses a value of `--sort`, such as `sales=shop,id`. Throws `usage`. */
export function parseSort(text: string): SortedTable {
  const [table = '', list = '', ...more] = text.split('=').map((part) => part.trim());
  const columns = list.split(',').map((column) => column.trim());
  if (table !== '' && more.length === 0 && columns.every((column) => column !== ''))
    return { table, columns };
  throw new SvcError(
    'usage',
    `--sort ${text} names no table and column. Write it as in --sort sales=id or --sort sales=shop,id.`,
  );
}

/**
 * Writes tables of a database file again, sorted. Definitions and indexes stay. Rows that the columns do not order keep
 * their order. Throws `project_invalid` that names every table which cannot be sorted.
 */
export async function sortTables(database: string, tables: readonly SortedTable[]): Promise<void> {
  const { fillDatabase } = await import('../adapters/duckdb-native/files/database-file.ts');
  const problems = await fillDatabase(database, async (filling) => {
    const { run } = filling;
    const failed: string[] = [];
    for (const { table, columns } of tables) {
      const name = toIdentifier(table);
      // DuckDB looks for a table without a schema among the temporary ones first, so the copy has a longer name.
      const copy = `temp.main.${quoteName(`${table} sorted`)}`;
      const order = [...columns.map(quoteName), 'rowid'].join(', ');
      try {
        if (await isView(filling, table)) throw notSortable();
        const stored = (await storedColumns(filling, name)).join(', ');
        await run(`CREATE TEMP TABLE ${copy} AS SELECT ${stored} FROM ${name} ORDER BY ${order}`);
        await run(`DELETE FROM ${name}`);
        // The blocks of the old rows become free, and the file does not grow.
        await run('CHECKPOINT');
        await run(`INSERT INTO ${name} (${stored}) SELECT ${stored} FROM ${copy}`);
        await run(`DROP TABLE ${copy}`);
      } catch (thrown) {
        failed.push(`${table}: ${toSvcError(thrown).message}`);
        await run(`DROP TABLE IF EXISTS ${copy}`);
      }
    }
    return failed;
  });
  if (problems.length === 0) return;
  throw new SvcError(
    'project_invalid',
    `These tables cannot be sorted:\n${problems.join('\n')}\nCorrect --sort, or sort the table where you make it: CREATE TABLE ... AS SELECT ... ORDER BY ...`,
  );
}

async function isView({ column }: Filling, table: string): Promise<boolean> {
  const [name = '', schema = 'main'] = table.split('.').toReversed();
  const found = await column(
    'SELECT view_name FROM duckdb_views() WHERE NOT internal AND lower(view_name) = lower($1) AND lower(schema_name) = lower($2)',
    [name, schema],
  );
  return found.length > 0;
}

function notSortable(): SvcError {
  return new SvcError('project_invalid', 'it is a view, and only tables can be sorted.');
}

/** The quoted names of a table's columns that take values. The others are generated from them. */
async function storedColumns({ run, column }: Filling, table: string): Promise<readonly string[]> {
  const stored: string[] = [];
  for (const each of await column('SELECT name FROM pragma_table_info($1) ORDER BY cid', [table])) {
    const name = quoteName(each);
    const failure = await run(`EXPLAIN INSERT INTO ${table} (${name}) SELECT NULL`).catch(messageOf);
    if (!/generated column/i.test(failure ?? '')) stored.push(name);
  }
  return stored;
}

/** The error for an artefact without tables of its own. */
export function nothingToSort(): SvcError {
  return new SvcError(
    'usage',
    '--sort writes tables of the artefact in another order, but `database.path` of the profile is `:memory:`, so the artefact has no tables. Leave --sort out, and sort the data where it is written: CREATE TABLE ... AS SELECT ... ORDER BY ...',
  );
}

/** `shop.sales` names a table in a schema. */
function toIdentifier(table: string): string {
  return table.split('.').map(quoteName).join('.');
}
