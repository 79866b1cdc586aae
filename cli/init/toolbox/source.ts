import { dirname, relative, resolve } from 'node:path';
import { SvcError } from '../../../src/errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../../../src/json.ts';
import { RESERVED_NAMES } from '../../../src/project/attachment.ts';
import type { ToolboxItem } from './read.ts';

/** A source of MCP Toolbox as an attached database. */
export interface AttachedSource {
  /** Its name in the tools file. */
  readonly source: string;
  /** Its name in SQL. */
  readonly name: string;
  readonly uri: string;
  /** The file of a DuckDB database; null for all others. */
  readonly file: string | null;
  /** The extension of DuckDB that reads it; null for none. */
  readonly extension: string | null;
  /** The credentials, with references to variables; null for a file. */
  readonly secret: { readonly type: string; readonly parameters: JsonObject } | null;
  readonly tools: readonly string[];
  /** The parts that the conversion left out. */
  readonly remarks: readonly string[];
}

/** The places of a conversion. */
export interface Places {
  /** The tools file. */
  readonly file: string;
  /** The new project. */
  readonly root: string;
  readonly env: Environment;
}

/** The variables that a tools file may refer to. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A problem that keeps an item from being converted. */
export interface Unconverted {
  readonly reason: string;
}

/** Types of tools that hold one SQL statement, by the type of their source. */
const STATEMENT_TOOLS: Readonly<Record<string, readonly string[]>> = {
  duckdb: ['duckdb-sql'],
  sqlite: ['sqlite-sql'],
  postgres: ['postgres-sql'],
  mysql: ['mysql-sql'],
};

/** Sources that only Google's connectors reach. */
const CONNECTORS: Readonly<Record<string, string>> = {
  'cloud-sql-postgres': 'postgres',
  'alloydb-postgres': 'postgres',
  'cloud-sql-mysql': 'mysql',
};

const SHARED_KEYS = ['name', 'type', 'kind'];
const FILE_KEYS = new Set([...SHARED_KEYS, 'database', 'dbFilePath', 'path']);
const SERVER_KEYS = new Set([
  ...SHARED_KEYS,
  ...['host', 'port', 'database', 'user', 'password', 'queryParams'],
]);

/** Converts a source. A database that DuckDB cannot attach is named with the reason. */
export function convertSource(
  { name, type, value }: ToolboxItem,
  places: Places,
): AttachedSource | Unconverted {
  const tools = Object.hasOwn(STATEMENT_TOOLS, type) ? STATEMENT_TOOLS[type] : undefined;
  if (tools === undefined) return { reason: reasonOf(type) };
  const shared = { source: name, name: toSqlName(name), tools };
  if (type === 'duckdb' || type === 'sqlite') {
    const path = resolveText(value.database ?? value.dbFilePath ?? value.path, places.env);
    if (path === '' || path.startsWith(':memory:'))
      return { reason: 'Its database is in memory, so it has no tables to serve.' };
    const file = toProjectPath(path, places);
    const uri = type === 'sqlite' ? `sqlite:${file}` : file;
    return {
      ...shared,
      uri,
      file: type === 'duckdb' ? file : null,
      extension: type === 'sqlite' ? 'sqlite' : null,
      secret: null,
      remarks: unknownKeys(value, FILE_KEYS),
    };
  }
  return { ...shared, ...convertServer(type, value, places), file: null, extension: type };
}

function unknownKeys(value: JsonObject, known: ReadonlySet<string>, place = ''): readonly string[] {
  return Object.keys(value)
    .filter((key) => !known.has(key))
    .map((key) => `\`${place}${key}\` has no counterpart.`);
}

function convertServer(type: string, value: JsonObject, { env }: Places) {
  const { user, password, queryParams } = value;
  const params = isObject(queryParams) ? queryParams : {};
  const toOption = type === 'mysql' ? MYSQL_OPTIONS : POSTGRES_OPTIONS;
  const options = Object.entries(params).map(([key, text]) => ({
    key,
    option: toOption(key, resolveText(text, env)),
  }));
  const parts = [
    [type === 'mysql' ? 'database' : 'dbname', resolveText(value.database, env)],
    ['host', resolveText(value.host, env)],
    ['port', resolveText(value.port, env)],
    ...options.flatMap(({ option }) => (option === null ? [] : [option])),
  ].flatMap(([key, text]) => (text === '' ? [] : [`${key}=${quoted(text ?? '')}`]));
  const parameters = Object.fromEntries(
    Object.entries({ user, password }).flatMap(([key, text]) =>
      text === undefined || text === null ? [] : [[key, toReference(text)]],
    ),
  );
  const kept = options.flatMap(({ key, option }) => (option === null ? [] : key));
  return {
    uri: `${type}:${parts.join(' ')}`,
    secret: { type, parameters },
    remarks: [...unknownKeys(value, SERVER_KEYS), ...unknownKeys(params, new Set(kept), 'queryParams.')],
  };
}

/** A parameter of the connection in the form of a connection string; null if it has no counterpart. */
type ToOption = (key: string, value: string) => readonly [key: string, value: string] | null;

/** The parameters that pgx and libpq share. */
const LIBPQ =
  /^(ssl(mode|rootcert|cert|key|sni)|application_name|connect_timeout|target_session_attrs|options)$/;
const POSTGRES_OPTIONS: ToOption = (key, value) => (LIBPQ.test(key) ? [key, value] : null);

/** `tls` of Go's driver as `ssl_mode` of MySQL's library. */
const SSL_MODES: Readonly<Record<string, string>> = {
  true: 'verify_identity',
  'skip-verify': 'required',
  preferred: 'preferred',
  false: 'disabled',
};
const MYSQL_OPTIONS: ToOption = (key, value) =>
  key === 'tls' && Object.hasOwn(SSL_MODES, value) ? ['ssl_mode', SSL_MODES[value] ?? ''] : null;

/** A value of a connection string. */
function quoted(text: string): string {
  return /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}

function reasonOf(type: string): string {
  const server = Object.hasOwn(CONNECTORS, type) ? CONNECTORS[type] : undefined;
  if (server !== undefined) {
    return `Only Google's connector reaches a source of the type ${type}. If DuckDB reaches its address, declare it as a source of the type ${server} and run the command again.`;
  }
  return `DuckDB attaches no source of the type ${type || 'that is missing'}.`;
}

/** A path of the tools file, which is relative to its own folder, as seen from the project. */
function toProjectPath(path: string, { file, root }: Places): string {
  const absolute = resolve(dirname(file), path);
  return absolute === path ? path : relative(root, absolute).replaceAll('\\', '/');
}

/** A name that SQL needs no quotes for. */
function toSqlName(name: string): string {
  const word =
    name
      .replaceAll(/\W+/g, '_')
      .replace(/^(?=\d)/, '_')
      .slice(0, 63) || 'source';
  return RESERVED_NAMES.includes(word.toLowerCase()) ? `${word}_db` : word;
}

/** `${NAME}`, `${NAME:default}`, `${NAME:-default}` and `${NAME:?message}`. */
const REFERENCE = /\$\{(\w+)(?::([-?]?)([^}]*))?\}/g;

/**
 * Replaces references to environment variables, as MCP Toolbox does at its start. The site file holds none.
 *
 * @throws usage for a variable that is not set and has no default.
 */
export function resolveText(value: JsonValue | undefined, env: Environment): string {
  if (value === undefined || value === null) return '';
  return String(value).replaceAll(REFERENCE, (_, name: string, mark = '', rest?: string) => {
    const found = env[name];
    if (found !== undefined && !(found === '' && mark !== '')) return found;
    if (rest !== undefined && mark !== '?') return rest;
    throw new SvcError(
      'usage',
      `The variable ${name} of the tools file is not set. Nothing was written. Set it as for MCP Toolbox, and run the command again.`,
    );
  });
}

/** The text with references in the form of the user file, which knows no defaults. */
function toReference(value: JsonValue): string {
  return String(value).replaceAll(REFERENCE, (_, name: string) => `\${${name}}`);
}
