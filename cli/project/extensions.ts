import type { DatabaseChoice } from '../../adapters/node/database/database-choice.ts';
import { SvcError } from '../../src/errors.ts';

/** An extension of the site file that the native engine cannot load on this machine. */
interface UnloadableExtension {
  /** Its place under `extensions`. */
  readonly index: number;
  readonly error: SvcError;
}

/** Loads each extension, with those that it needs, into an empty engine, because the database may be missing or in use. */
export async function tryExtensions(
  settings: DatabaseChoice['extensions'],
): Promise<readonly UnloadableExtension[]> {
  const failed: UnloadableExtension[] = [];
  const named = settings?.extensions ?? [];
  const httpfs = named.filter(({ name }) => name.toLowerCase() === 'httpfs');
  for (const [index, extension] of named.entries()) {
    // An https: address of a repository needs httpfs.
    const extensions = [extension, ...httpfs.filter((one) => one !== extension)];
    const error = await tryToLoad({ ...settings, extensions });
    if (error !== null) failed.push({ index, error });
  }
  return failed;
}

async function tryToLoad(settings: DatabaseChoice['extensions']): Promise<SvcError | null> {
  const { openNative } = await import('../../adapters/duckdb-native/open.ts');
  try {
    const database = await openNative({ path: ':memory:', readonly: false, ...settings });
    await database.close();
    return null;
  } catch (thrown) {
    if (thrown instanceof SvcError && thrown.code === 'database_unavailable') return thrown;
    throw thrown;
  }
}
