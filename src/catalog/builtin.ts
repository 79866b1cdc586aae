import type { Annotations, Policies, SiteFile, ToolEndpoint } from '../project/model.ts';
import { SQL_TOOLS, type SqlToolName } from '../project/site-model.ts';
import type { Parameter, TypeNode } from '../types/node.ts';
import type { ToolEntry } from './model.ts';

/** The parameter of `execute_sql_query` that contains the statement. */
const STATEMENT_PARAMETER = 'sql';

const ROWS = 1_000;

interface Builtin {
  readonly title: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly returns: TypeNode;
  readonly sql: string;
}

const TEXT = { type: 'string' } as const;

/** Tables in schemas other than main are named `schema.table`. */
export const SHOWN_NAME = `CASE table_schema WHEN 'main' THEN table_name ELSE table_schema || '.' || table_name END`;
export const OWN_TABLES = 'table_catalog = current_database()';

const BUILTINS: { readonly [name in SqlToolName]: Builtin } = {
  execute_sql_query: {
    title: 'SQL Query Executor',
    description: `Runs one SQL query (DuckDB dialect) that reads this project's database, and returns its rows, at most ${ROWS}. Look at list_tables and get_table_schema first.`,
    parameters: [
      {
        name: STATEMENT_PARAMETER,
        type: 'string',
        minLength: 1,
        maxLength: 65_536,
        description: 'One read-only statement with literal values.',
      },
    ],
    returns: { type: 'array', items: { type: 'object' } },
    sql: 'SELECT 1',
  },
  list_tables: {
    title: 'Database Table Lister',
    description: 'Lists the tables and views of the database.',
    parameters: [],
    returns: {
      type: 'array',
      items: { type: 'object', properties: { name: TEXT, type: TEXT }, required: ['name', 'type'] },
    },
    sql: `SELECT ${SHOWN_NAME} AS name, table_type AS type FROM information_schema.tables WHERE ${OWN_TABLES} ORDER BY name`,
  },
  get_table_schema: {
    title: 'Table Schema Inspector',
    description: 'Lists the columns of a table or view with their types, in order.',
    parameters: [
      { name: 'table_name', type: 'string', minLength: 1, description: 'A name from list_tables.' },
    ],
    returns: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: TEXT, type: TEXT, nullable: { type: 'string', enum: ['YES', 'NO'] } },
        required: ['name', 'type', 'nullable'],
      },
    },
    sql: `SELECT column_name AS name, data_type AS type, is_nullable AS nullable FROM information_schema.columns WHERE ${OWN_TABLES} AND ${SHOWN_NAME} = $table_name ORDER BY ordinal_position`,
  },
};

/** These tools cannot write or reach outside of the database. */
const ANNOTATIONS: Annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** The built-in SQL tools as endpoints (spec, `sql_tools`); empty if the site disables them. */
export function builtinTools(site: Pick<SiteFile, 'sqlTools'> | null): readonly ToolEndpoint[] {
  if (site === null || !site.sqlTools.enabled) return [];
  const { descriptions, policies } = site.sqlTools;
  return SQL_TOOLS.map((name) => toEndpoint(name, descriptions[name], policies[name]));
}

function toEndpoint(
  name: SqlToolName,
  description: string | undefined,
  policies: Policies = { input: [], output: [] },
): ToolEndpoint {
  const { title, sql, ...builtin } = BUILTINS[name];
  return {
    kind: 'tool',
    name,
    title,
    description: description ?? builtin.description,
    parameters: builtin.parameters,
    returns: builtin.returns,
    policies,
    limits: { rows: ROWS },
    annotations: { title, ...ANNOTATIONS },
    ...UNSAID,
    source: { language: 'sql', text: sql, file: null, line: 0, column: 0, verbatim: false },
  };
}

const UNSAID = {
  file: '',
  tags: [],
  icons: [],
  enabled: true,
  scopes: [],
  tests: [],
  metadata: {},
  confirm: null,
  ask: [],
  mimeType: null,
  content: 'value',
  format: null,
  largeResult: null,
  view: null,
} as const;

/**
 * Completes the entry of a built-in tool: `execute_sql_query` runs its caller's statement, and none sees attached
 * databases unless `sql_tools.attached` says so. `sql_tools.tables` restricts all three.
 */
export function withStatement(
  entry: ToolEntry,
  site: Pick<SiteFile, 'sqlTools' | 'database'> | null,
): ToolEntry {
  const { name, source } = entry;
  if (source.language !== 'sql') return entry;
  const tables = site?.sqlTools.tables ?? null;
  const attached = site !== null && site.database.attach.length > 0;
  const hides = attached && (tables !== null || !site.sqlTools.attached);
  const statement = name === 'execute_sql_query' ? { statement: STATEMENT_PARAMETER } : {};
  const sight = { ...(hides ? { unattached: true as const } : {}), ...(tables === null ? {} : { tables }) };
  return { ...entry, source: { ...source, ...statement, ...sight } };
}
