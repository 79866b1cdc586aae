import { SvcError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import type { RestrictedTable } from '../../ports.ts';
import { foldName } from '../../project/fold-name.ts';
import type { SqlValue } from '../../sql-value.ts';
import { quoteName, quoteText } from '../quote.ts';
import { toRowFilter } from './condition.ts';
import { checkRestrictedStatement, namesIn } from './statement.ts';

/**
 * Reads the names that a restriction needs. `kind` is `own` for the database of the project. A table with generated columns has
 * a type of its own: they may call the project's macros, which are not on the search path of the caller's statement.
 */
export const SURROUNDINGS = `SELECT 'own' AS kind, current_database() AS name, '' AS schema, '' AS type
UNION ALL SELECT 'qualifier', database_name, '', '' FROM duckdb_databases()
UNION ALL SELECT 'internal', view_name, '', '' FROM duckdb_views() WHERE internal AND schema_name <> 'information_schema'
UNION ALL SELECT 'table', table_name, schema_name, if(sql ILIKE '%generated always%', 'GENERATED', 'BASE TABLE')
  FROM duckdb_tables() WHERE database_name = current_database()
UNION ALL SELECT 'table', view_name, schema_name, 'VIEW' FROM duckdb_views()
  WHERE database_name = current_database() AND NOT internal`;

/** A statement that prepares the connection of a restricted caller. */
export interface Preparation {
  readonly sql: string;
  readonly values: readonly SqlValue[];
  /** The table whose rule it applies; null for the last statement. */
  readonly table: string | null;
}

/** The parts of the search path that the caller's own statement has. */
const LEAVE = "SET search_path = 'temp'";

/**
 * Checks a restricted caller's statement, and returns the statements that must run before it on its connection. They
 * make a temporary table or view of each table that the statement names. The last one leaves only these on the search
 * path. Throws `sql_rejected`.
 *
 * Rows are filtered into a temporary table, before DuckDB sees the caller's statement. Through a view, DuckDB may
 * evaluate the caller's expressions on rows that the filter excludes, and their errors would reveal these rows.
 */
export function prepareRestricted(
  sql: string,
  tables: readonly RestrictedTable[],
  surroundings: readonly JsonObject[],
): readonly Preparation[] {
  const named = (kind: string) => surroundings.filter((row) => row.kind === kind);
  const namesOf = (kind: string) => new Set(named(kind).map(({ name }) => foldName(String(name))));
  const known = named('table').map(toRelation);
  const present = tables.flatMap((table) => {
    const [relation, other] = known.filter(({ shown }) => foldName(shown) === foldName(table.name));
    return relation === undefined ? [] : [{ table, relation, isTwo: other !== undefined }];
  });
  const visible = new Set(present.map(({ table }) => foldName(table.name)));
  // Other schemas are not on the search path. To refuse their names would reveal that they exist.
  const schemas = present.map(({ relation }) => foldName(relation.schema));
  const qualifiers = new Set([...namesOf('qualifier'), 'main', ...schemas]);
  checkRestrictedStatement(sql, { visible, qualifiers, internal: namesOf('internal') });
  const [own = ''] = named('own').map(({ name }) => String(name));
  const used = namesIn(sql);
  const needed = present.filter(({ table }) => used.has(foldName(table.name)));
  for (const { table, isTwo } of needed) if (isTwo) throw ambiguous(table);
  return [
    ...toCopies(needed, own),
    ...needed
      .filter(({ relation }) => relation.isPlain)
      .map(({ table, relation }) => toPreparation(table, relation, own)),
    { sql: LEAVE, values: [], table: null },
  ];
}

/** A table that a statement names, with its rule. */
interface Needed {
  readonly table: RestrictedTable;
  readonly relation: Relation;
}

/**
 * Copies the project's views, and tables with generated columns, before any restricted table has its name. DuckDB looks for
 * the tables of a view among temporary tables first, and a view that leaves out the rows of another table would show them if
 * this table had fewer rows.
 */
function toCopies(needed: readonly Needed[], database: string): readonly Preparation[] {
  const copied = needed.filter(({ relation }) => !relation.isPlain);
  const interim = (at: number) => `svc copy ${at}`;
  const copies = copied.map(({ table, relation }, at) =>
    toPreparation(table, { ...relation, shown: interim(at) }, database),
  );
  const names = copied.map(({ table, relation }, at) => ({
    sql: `ALTER TABLE temp.main.${quoteName(interim(at))} RENAME TO ${quoteName(relation.shown)}`,
    values: [],
    table: table.name,
  }));
  return [...copies, ...names];
}

/** `more` of the schema `other`, and `other.more` of the schema main, have one name in list_tables. */
function ambiguous({ name }: RestrictedTable): SvcError {
  const message = `The rule of \`sql_tools.tables\` for ${name} cannot be applied: two tables have this name, one with a schema. Rename one of them.`;
  return new SvcError('project_invalid', message);
}

/** An error of a preparation. The caller must not see its text, because it may quote hidden rows. */
export function toPreparationError(thrown: unknown, { table }: Preparation): unknown {
  if (!(thrown instanceof SvcError) || thrown.code !== 'sql_failed') return thrown;
  const [line = ''] = thrown.message.split('\n');
  // Binder and catalog errors name columns. Others quote values.
  const said = /^(?:Binder|Catalog|Parser) Error/.test(line) ? line : line.split(':', 1)[0];
  return new SvcError(
    'project_invalid',
    `The rule of \`sql_tools.tables\` for ${table} cannot be applied: ${said}`,
  );
}

interface Relation {
  readonly schema: string;
  readonly name: string;
  /** As list_tables shows it. */
  readonly shown: string;
  /** Whether the caller's statement can read it by itself. A view and a table with generated columns are copied. */
  readonly isPlain: boolean;
}

function toRelation({ name, schema, type }: JsonObject): Relation {
  const [own, around] = [String(name), String(schema)];
  const shown = around === 'main' ? own : `${around}.${own}`;
  return { schema: around, name: own, shown, isPlain: type === 'BASE TABLE' };
}

function toPreparation(table: RestrictedTable, relation: Relation, database: string): Preparation {
  const { rows } = table;
  const from = [database, relation.schema, relation.name].map(quoteName).join('.');
  // The filter of a view of the project is a restriction too, so its rows are copied as well.
  const kind = rows === null && relation.isPlain ? 'VIEW' : 'TABLE';
  const filter = rows === null ? { sql: '', values: [] } : toRowFilter(rows, 't');
  const where = rows === null ? '' : ` WHERE ${filter.sql}`;
  return {
    sql: `CREATE TEMP ${kind} ${quoteName(relation.shown)} AS SELECT ${columnsOf(table)} FROM ${from} AS t${where}`,
    values: filter.values,
    table: table.name,
  };
}

/** DuckDB refuses the list if a column is missing. */
function columnsOf({ hide, mask }: RestrictedTable): string {
  const hidden = hide.length === 0 ? '' : ` EXCLUDE (${hide.map(quoteName).join(', ')})`;
  const masked = Object.entries(mask).map(([column, text]) => `${quoteText(text)} AS ${quoteName(column)}`);
  return `*${hidden}${masked.length === 0 ? '' : ` REPLACE (${masked.join(', ')})`}`;
}
