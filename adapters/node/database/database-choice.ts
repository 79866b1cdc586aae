import { resolve } from 'node:path';
import { SvcError } from '../../../src/errors.ts';
import { reachesOut } from '../../../src/project/extension.ts';
import { toMegabytes } from '../../../src/project/memory.ts';
import type { Site } from '../../../src/project/model.ts';
import type { Extension } from '../../../src/project/site-model.ts';
import { type Environment, toAmount, toBoolean } from '../../../src/settings/environment.ts';
import type { ExtensionSettings } from '../../duckdb-native/engine/extensions.ts';
import type { DatabaseSecret } from '../../duckdb-native/engine/secrets.ts';

/** Which database file a process opens, how, and with which engine. */
export interface DatabaseChoice {
  /** Absolute. */
  readonly path: string;
  readonly readonly: boolean;
  readonly engine: 'wasm' | 'native';
  /** The most memory that queries take. */
  readonly memoryMb?: number;
  /** Whether the project's SQL reaches files and the network: only where an extension is there for that. */
  readonly external?: boolean;
  /** What the native engine loads before anything is served. */
  readonly extensions?: ExtensionSettings;
  readonly secrets?: readonly DatabaseSecret[];
}

const ENGINES = ['auto', 'wasm', 'native'] as const;

/** What of the site decides. */
export interface SiteChoice {
  readonly database: Pick<Site['database'], 'path' | 'readonly' | 'engine'> & Partial<Site['database']>;
  readonly extensions?: readonly Extension[];
}

/** The profile's database under the environment's overrides (spec, "Environment variables"; design, section 4). */
export function chooseDatabase(
  root: string,
  site: SiteChoice,
  env: Environment,
  { stateless = false } = {},
): DatabaseChoice {
  const asked = env.SVC_DATABASE_ENGINE ? toEngine(env.SVC_DATABASE_ENGINE) : site.database.engine;
  const readonly = readBoolean('SVC_READONLY', env.SVC_READONLY) ?? site.database.readonly;
  const path = resolve(root, env.SVC_DATABASE_PATH || site.database.path);
  // Without state every instance reads the same file: nobody may hold it for writing.
  const reads = readonly || (stateless && asked !== 'native');
  const { extensions = [] } = site;
  const wasm = reads && extensions.length === 0;
  const engine = asked === 'auto' ? (wasm ? 'wasm' : 'native') : asked;
  const limits = limitsOf(site.database, env);
  if (extensions.length === 0) return { path, readonly: reads, engine, ...limits };
  const external = !isSandbox(site.database, env) && extensions.some(({ name }) => reachesOut(name));
  return { path, readonly: reads, engine, ...limits, external, ...from(extensions, env) };
}

function isSandbox({ sandbox = false }: SiteChoice['database'], env: Environment): boolean {
  const name = 'SVC_DATABASE_SANDBOX';
  return readBoolean(name, env[name]) ?? sandbox;
}

function limitsOf({ memoryLimit }: SiteChoice['database'], env: Environment) {
  const asked = env.SVC_DATABASE_MEMORY_LIMIT?.trim();
  const amount = asked ? toAmount(asked) : (memoryLimit ?? null);
  if (asked && amount === null) {
    throw new SvcError(
      'config_invalid',
      `SVC_DATABASE_MEMORY_LIMIT is ${asked}, but must be an amount such as 512MB.`,
    );
  }
  const memoryMb = amount === null ? null : toMegabytes(amount);
  return memoryMb === null ? {} : { memoryMb };
}

function from(
  extensions: readonly Extension[],
  { SVC_EXTENSION_REPOSITORY: repository, SVC_EXTENSION_DIRECTORY: directory, ...env }: Environment,
): Pick<DatabaseChoice, 'extensions'> {
  const name = 'SVC_ALLOW_UNSIGNED_EXTENSIONS';
  return {
    extensions: {
      extensions,
      ...(repository ? { extensionRepository: repository } : {}),
      ...(directory ? { extensionDirectory: resolve(directory) } : {}),
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

/** A boolean environment variable; undefined when it is not set. */
function readBoolean(name: string, text: string | undefined): boolean | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const value = toBoolean(text.trim());
  if (value !== null) return value;
  throw new SvcError('config_invalid', `${name} is ${text}, but must be true or false.`);
}
