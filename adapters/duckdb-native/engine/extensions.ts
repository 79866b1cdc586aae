import type { DuckDBConnection } from '@duckdb/node-api';
import { SvcError } from '../../../src/errors.ts';
import type { Extension } from '../../../src/project/site-model.ts';

/** The extensions to load, and their source. */
export interface ExtensionSettings {
  readonly extensions?: readonly Extension[];
  /** A folder or an address in the form of DuckDB's repository, used instead of it. */
  readonly extensionRepository?: string;
  /** The folder of installed extensions; DuckDB's default is in the home folder. */
  readonly extensionDirectory?: string;
  /** Whether to load unsigned extensions, such as the author's own builds. */
  readonly unsignedExtensions?: boolean;
}

/** The options that must be set when the database opens. */
export function extensionOptions(settings: ExtensionSettings): Record<string, string> {
  const community = settings.extensions?.some(({ repo }) => repo === 'community') ?? false;
  return {
    allow_community_extensions: String(community),
    ...(settings.unsignedExtensions ? { allow_unsigned_extensions: 'true' } : {}),
    ...(settings.extensionDirectory === undefined
      ? {}
      : { extension_directory: settings.extensionDirectory }),
  };
}

/** Loads every extension, and installs it first if it is missing. Throws `database_unavailable`. */
export async function loadExtensions(
  connection: DuckDBConnection,
  { extensions = [], extensionRepository }: ExtensionSettings,
): Promise<void> {
  for (const extension of extensions) {
    try {
      await load(connection, extension, extensionRepository);
    } catch (cause) {
      throw refusal(extension, extensionRepository, cause);
    }
  }
}

async function load(
  connection: DuckDBConnection,
  { name, repo = 'core' }: Extension,
  repository: string | undefined,
): Promise<void> {
  const loading = `LOAD "${name}"`;
  try {
    await connection.run(loading);
  } catch (thrown) {
    if (!(thrown instanceof Error) || !/not found/.test(thrown.message)) throw thrown;
    const from = repository === undefined ? repo : `'${repository.replaceAll("'", "''")}'`;
    await connection.run(`INSTALL "${name}" FROM ${from}`);
    await connection.run(loading);
  }
}

function refusal(
  { name, repo = 'core' }: Extension,
  repository: string | undefined,
  cause: unknown,
): SvcError {
  const [first = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
  return new SvcError(
    'database_unavailable',
    `The extension ${name} cannot be loaded from ${repository ?? `the repository ${repo}`}: ${first}
Check its name and \`repo\` under \`extensions\`, install it beforehand, or set SVC_EXTENSION_REPOSITORY.`,
    { cause },
  );
}
