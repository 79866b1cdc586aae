import type { Database } from '../../src/ports.ts';
import { NativeDatabase } from './database.ts';
import { loadDriver } from './driver.ts';
import { acquireEngine, type Engine } from './engine.ts';
import type { ExtensionSettings } from './extensions.ts';
import { applySecrets, type DatabaseSecret } from './secrets.ts';

/** What a native database is opened from. */
export interface NativeOptions extends ExtensionSettings {
  readonly path: string;
  readonly readonly: boolean;
  /** The most memory the engine's buffers take; DuckDB's default is 80 % of the machine's. */
  readonly memoryMb?: number;
  /** How many threads run queries; as many as there are cores by default. */
  readonly threads?: number;
  /** Whether a missing read-write database is made, with its folders; yes by default. */
  readonly createIfMissing?: boolean;
  /** Secrets for extensions; those of a type that the database does not know are left out. */
  readonly secrets?: readonly DatabaseSecret[];
}

/** Opens a database with the native engine, for reading or for writing. */
export async function openNative(options: NativeOptions): Promise<Database> {
  const { createIfMissing = true, secrets = [], ...settings } = options;
  const driver = await loadDriver();
  const engine = await acquireEngine(driver, { ...settings, create: createIfMissing });
  try {
    await giveSecrets(engine, secrets);
  } catch (thrown) {
    await engine.release();
    throw thrown;
  }
  return new NativeDatabase(driver, engine, options.readonly);
}

async function giveSecrets(engine: Engine, secrets: readonly DatabaseSecret[]): Promise<void> {
  if (secrets.length === 0) return;
  const connection = await engine.connect();
  try {
    await applySecrets(connection, secrets);
  } finally {
    connection.closeSync();
  }
}
