import { resolve } from 'node:path';
import { SvcError } from '../../src/errors.ts';
import type { Site } from '../../src/project/model.ts';

/** Which database file a process opens, how, and with which engine. */
export interface DatabaseChoice {
  /** Absolute. */
  readonly path: string;
  readonly readonly: boolean;
  readonly engine: 'wasm' | 'native';
}

type Environment = Readonly<Record<string, string | undefined>>;

const ENGINES = ['auto', 'wasm', 'native'] as const;

/** The profile's database under the environment's overrides (spec, "Environment variables"; design, section 4). */
export function chooseDatabase(
  root: string,
  site: Pick<Site, 'database'>,
  env: Environment,
  { stateless = false } = {},
): DatabaseChoice {
  const asked = env.SVC_DATABASE_ENGINE ? toEngine(env.SVC_DATABASE_ENGINE) : site.database.engine;
  const readonly = toBoolean('SVC_READONLY', env.SVC_READONLY) ?? site.database.readonly;
  const path = resolve(root, env.SVC_DATABASE_PATH || site.database.path);
  // Without state every instance reads the same file: nobody may hold it for writing.
  const reads = readonly || (stateless && asked !== 'native');
  return { path, readonly: reads, engine: asked === 'auto' ? (reads ? 'wasm' : 'native') : asked };
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
function toBoolean(name: string, value: string | undefined): boolean | undefined {
  if (value === undefined || value === '') return undefined;
  if (/^(1|true|yes)$/i.test(value)) return true;
  if (/^(0|false|no)$/i.test(value)) return false;
  throw new SvcError('config_invalid', `${name} is ${value}, but must be true or false.`);
}
