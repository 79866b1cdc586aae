import { SvcError } from '../../../src/errors.ts';
import { type Attachment, MEMORY_PATH, remoteDatabase } from '../../../src/project/attachment.ts';
import type { Extension } from '../../../src/project/extension.ts';
import { reachesOut } from '../../../src/project/extension.ts';
import { toMegabytes } from '../../../src/project/memory.ts';
import type { Site } from '../../../src/project/model.ts';
import type { SqlTools } from '../../../src/project/site-model.ts';
import { toBoolean } from '../../../src/settings/boolean.ts';
import type { Environment } from '../../../src/settings/environment.ts';
import { resolveRepository } from '../../duckdb-native/engine/extension-files.ts';
import type { DatabaseSecret, ExtensionSettings } from '../../duckdb-native/options.ts';
import { absolutePath } from '../absolute-path.ts';
import { memoryLimitOf } from './memory-limit.ts';

/** The database file that a process opens, with the mode and the engine. */
export interface DatabaseChoice {
  /** Absolute path. */
  readonly path: string;
  readonly readonly: boolean;
  readonly engine: 'wasm' | 'native';
  /** Whether a missing file is created empty although it is opened read-only, because only `--stateless` says so. */
  readonly createsEmpty?: boolean;
  /** The statements that the native engine runs in a process of its own: all, or those that callers wrote. */
  readonly isolated?: 'all' | 'callers';
  /** The memory limit of queries, in megabytes. Default: the engine's own. */
  readonly memoryMb?: number;
  /** Whether the project's SQL may reach files and the network; true only with an extension made for that. */
  readonly external?: boolean;
  /** The extensions that the native engine loads before it serves. */
  readonly extensions?: ExtensionSettings;
  readonly secrets?: readonly DatabaseSecret[];
  /** Databases beside this one; their relative paths begin at `root`. */
  readonly attach?: readonly Attachment[];
  /** The attached database that unqualified names mean. */
  readonly use?: string | null;
  readonly root?: string;
}

const ENGINES = ['auto', 'wasm', 'native'] as const;

/** The parts of the site file that decide. */
export interface SiteChoice {
  readonly database: Pick<Site['database'], 'path' | 'readonly' | 'engine'> & Partial<Site['database']>;
  readonly extensions?: readonly Extension[];
  readonly sqlTools?: Pick<SqlTools, 'enabled'>;
}

/** The command that opens the database. */
export interface ChoiceOptions {
  readonly stateless?: boolean;
  /** Whether callers that are not the author reach the database. */
  readonly serves?: boolean;
}

/**
 * Chooses the database of the profile; environment variables come first (spec, "Environment variables"; design,
 * section 4). Throws `config_invalid` for a variable with an invalid value.
 */
export function chooseDatabase(
  root: string,
  site: SiteChoice,
  env: Environment,
  { stateless = false, serves = false }: ChoiceOptions = {},
): DatabaseChoice {
  const asked = env.SVC_DATABASE_ENGINE ? toEngine(env.SVC_DATABASE_ENGINE) : site.database.engine;
  const written = env.SVC_DATABASE_PATH || site.database.path;
  const remote = remoteDatabase(written);
  const { attach, use } = attachedTo(site.database, remote);
  const path = remote === null ? toPath(root, written, env) : MEMORY_PATH;
  const asRead = readBoolean('SVC_READONLY', env.SVC_READONLY) ?? site.database.readonly;
  // Only attached databases keep what is written beside a database in memory.
  const readonly = asRead || (path === MEMORY_PATH && attach.every((one) => one.readonly !== false));
  // Stateless instances all read the same file, so none of them may hold it for writing.
  const reads = readonly || (stateless && asked !== 'native' && path !== MEMORY_PATH);
  const { extensions = [] } = site;
  const wasm = reads && extensions.length === 0 && attach.length === 0;
  const engine = asked === 'auto' ? (wasm ? 'wasm' : 'native') : asked;
  const attached = attach.length === 0 ? {} : { attach, use, root };
  const isolated = serves && engine === 'native' ? toIsolated(site) : {};
  const created = reads && !readonly ? { createsEmpty: true } : {};
  const memory = memoryLimitOf(env, toMegabytes(site.database.memoryLimit ?? ''));
  const limits = { ...memory, ...attached, ...isolated, ...created };
  if (extensions.length === 0) return { path, readonly: reads, engine, ...limits };
  const external = !isSandbox(site.database, env) && extensions.some(({ name }) => reachesOut(name));
  return { path, readonly: reads, engine, ...limits, external, ...from(root, extensions, env) };
}

function toIsolated({ database, sqlTools }: SiteChoice): Pick<DatabaseChoice, 'isolated'> {
  const { isolation = 'auto' } = database;
  if (isolation === 'process') return { isolated: 'all' };
  return isolation === 'auto' && sqlTools?.enabled === true ? { isolated: 'callers' } : {};
}

/** The attached databases. A remote database is one of them, and unqualified names mean it. */
function attachedTo(
  { attach = [], use = null }: SiteChoice['database'],
  remote: Attachment | null,
): { readonly attach: readonly Attachment[]; readonly use: string | null } {
  return remote === null ? { attach, use } : { attach: [remote, ...attach], use: use ?? remote.name };
}

/** A database in memory has no file. */
function toPath(root: string, path: string, env: Environment): string {
  return path === MEMORY_PATH ? path : absolutePath(root, path, env);
}

function isSandbox({ sandbox = false }: SiteChoice['database'], env: Environment): boolean {
  const name = 'SVC_DATABASE_SANDBOX';
  return readBoolean(name, env[name]) ?? sandbox;
}

function from(
  root: string,
  extensions: readonly Extension[],
  { SVC_EXTENSION_REPOSITORY: repository, SVC_EXTENSION_DIRECTORY: directory, ...env }: Environment,
): Pick<DatabaseChoice, 'extensions'> {
  const name = 'SVC_ALLOW_UNSIGNED_EXTENSIONS';
  return {
    extensions: {
      extensions: extensions.map(({ repo, ...one }) =>
        repo === undefined ? one : { ...one, repo: resolveRepository(root, repo) },
      ),
      ...(repository ? { extensionRepository: resolveRepository('.', repository) } : {}),
      ...(directory ? { extensionDirectory: absolutePath('', directory, env) } : {}),
      unsignedExtensions: readBoolean(name, env[name]) ?? false,
    },
  };
}

function toEngine(value: string): (typeof ENGINES)[number] {
  const engine = ENGINES.find((name) => name === value);
  if (engine) return engine;
  throw new SvcError(
    'config_invalid',
    `SVC_DATABASE_ENGINE is ${value}, but must be one of ${ENGINES.join(', ')}.`,
  );
}

/** Reads a boolean environment variable; undefined if it is not set. */
function readBoolean(name: string, text: string | undefined): boolean | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const value = toBoolean(text.trim());
  if (value !== null) return value;
  throw new SvcError('config_invalid', `${name} is ${text}, but must be true or false.`);
}
