import type { Database } from '../../src/ports.ts';
import { NativeDatabase } from './database.ts';
import { loadDriver } from './driver.ts';
import { acquireEngine } from './engine.ts';

/** What a native database is opened from. */
export interface NativeOptions {
  readonly path: string;
  readonly readonly: boolean;
  /** The most memory the engine's buffers take; DuckDB's default is 80 % of the machine's. */
  readonly memoryMb?: number;
  /** How many threads run queries; as many as there are cores by default. */
  readonly threads?: number;
  /** Whether a missing read-write database is made, with its folders; yes by default. */
  readonly createIfMissing?: boolean;
}

/** Opens a database with the native engine, for reading or for writing. */
export async function openNative({ createIfMissing = true, ...options }: NativeOptions): Promise<Database> {
  const driver = await loadDriver();
  const engine = await acquireEngine(driver, { ...options, create: createIfMissing });
  return new NativeDatabase(driver, engine, options.readonly);
}
