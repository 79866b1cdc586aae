import type { DuckDBConnection } from '@duckdb/node-api';
import { messageOf, type SvcError } from '../../../src/errors.ts';
import type { Extension } from '../../../src/project/extension.ts';
import { extensionFileName, inLoadOrder, type WantedExtension } from '../../../src/project/extension.ts';
import { quoteText } from '../../../src/sql/quote.ts';
import type { ExtensionSettings } from '../options.ts';
import {
  type ExtensionTarget,
  givenPaths,
  isFile,
  isNamed,
  missingError,
  refusedError,
  repositoryOf,
} from './extension-files.ts';

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

/**
 * Loads every extension. Downloads a missing one only from a repository that the settings name. Throws
 * `database_unavailable`.
 */
export async function loadExtensions(
  connection: DuckDBConnection,
  settings: ExtensionSettings,
): Promise<void> {
  const { extensions = [] } = settings;
  if (extensions.length === 0) return;
  const target = await readTarget(connection);
  for (const extension of inLoadOrder(extensions)) {
    try {
      await load(connection, extension, { settings, target });
    } catch (cause) {
      throw toRefusal(extension, { settings, target }, cause);
    }
  }
}

/** The version and the platform that extensions of this engine have. */
async function readTarget(connection: DuckDBConnection): Promise<ExtensionTarget> {
  const one = async (sql: string) => String((await connection.runAndReadAll(sql)).getRows()[0]?.[0]);
  return { version: await one('SELECT version()'), platform: await one('PRAGMA platform') };
}

interface LoadContext {
  readonly settings: ExtensionSettings;
  readonly target: ExtensionTarget;
}

async function load(
  connection: DuckDBConnection,
  extension: Extension,
  { settings, target }: LoadContext,
): Promise<void> {
  const paths = givenPaths(extension, settings, target);
  for (const path of paths) {
    if (await isFile(path)) return void (await connection.run(`LOAD ${quoteText(path)}`));
  }
  const loading = `LOAD "${extension.name}"`;
  try {
    await connection.run(loading);
  } catch (thrown) {
    const repository = repositoryOf(extension, settings);
    if (repository === null || !isMissing(thrown)) throw thrown;
    // A folder in the form of DuckDB's repository has compressed files, which DuckDB installs first.
    const [path] = paths;
    if (path !== undefined && !(await isFile(`${path}.gz`))) throw thrown;
    const from = isNamed(repository) ? repository : quoteText(repository);
    await connection.run(`INSTALL "${extensionFileName(extension.name)}" FROM ${from}`);
    await connection.run(loading);
  }
}

function isMissing(thrown: unknown): boolean {
  return /^IO Error: Extension ".*" not found/.test(messageOf(thrown));
}

/** DuckDB's reasons for not loading a file, and ours. */
const REASONS: readonly (readonly [RegExp, (found: readonly string[], target: ExtensionTarget) => string])[] =
  [
    [
      /"([^"]*)" could not be loaded because its signature is either missing or invalid/,
      ([, path]) => `${path} has no valid signature of DuckDB, so it was changed or built elsewhere`,
    ],
    [
      /Failed to load '([^']*)'.*built specifically for DuckDB version '([^']*)'/,
      ([, path, version], target) => `${path} is made for DuckDB ${version}, not for ${target.version}`,
    ],
    [
      /Failed to load '([^']*)'.*built for the platform '([^']*)'/,
      ([, path, platform], target) => `${path} is made for ${platform}, not for ${target.platform}`,
    ],
    [
      /required extension '(\w+)'/,
      ([, name]) => `it needs the extension ${name}, which is not loaded; add ${name} to \`extensions\``,
    ],
    [
      /requires the extension httpfs/,
      () => 'its repository has an https: address, which needs httpfs; add httpfs to `extensions`',
    ],
    [
      /Failed to download extension "\w+" at URL "([^"]*)"[\s\S]*\(([^()]*)\)/,
      ([, url, why]) => `${url} does not answer with it (${why})`,
    ],
  ];

function toRefusal(extension: WantedExtension, { settings, target }: LoadContext, cause: unknown): SvcError {
  const said = messageOf(cause);
  if (isMissing(cause)) return missingError(extension, settings, target, cause);
  for (const [pattern, toReason] of REASONS) {
    const found = pattern.exec(said);
    if (found !== null) return refusedError(extension, target, toReason(found, target), cause);
  }
  const [first = ''] = said.split('\n');
  return refusedError(extension, target, first.replace(/\.$/, ''), cause);
}
