import { MEMORY_PATH } from '../../src/project/attachment.ts';
import { createAttachments } from './attach/attachments.ts';
import { loadDriver } from './driver/driver.ts';
import { acquireEngine } from './engine/engine.ts';
import type { NativeOptions } from './options.ts';
import { NativeDatabase } from './query/database.ts';

/** Opens a database with the native engine, for reading or for writing. */
export async function openNative(options: NativeOptions): Promise<NativeDatabase> {
  const { createIfMissing = true, secrets = [], running = 64, queueLimit = 1024, ...settings } = options;
  const { attach = [], use = null, root = process.cwd(), external = false } = options;
  const driver = await loadDriver();
  const engine = await acquireEngine(driver, {
    ...settings,
    // DuckDB opens no database in memory read-only; reads then run in read-only transactions.
    readonly: options.readonly && options.path !== MEMORY_PATH,
    attachments: createAttachments({ attach, use, root, secrets, external, readonly: options.readonly }),
    create: createIfMissing,
    secrets,
    reads: { places: running, waiting: queueLimit },
    writes: { places: 1, waiting: queueLimit },
  });
  return new NativeDatabase(driver, engine, options.readonly);
}
