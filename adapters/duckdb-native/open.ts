import { type Attachment, MEMORY_PATH } from '../../src/project/attachment.ts';
import { createAttachments } from './attach/attachments.ts';
import { loadDriver } from './driver/driver.ts';
import { acquireEngine } from './engine/engine.ts';
import type { ExtensionSettings } from './engine/extensions.ts';
import type { DatabaseSecret } from './engine/secrets.ts';
import { NativeDatabase } from './query/database.ts';

/** The choices for opening a native database. */
export interface NativeOptions extends ExtensionSettings {
  readonly path: string;
  readonly readonly: boolean;
  /** The most memory the engine's buffers take; DuckDB's default is 80 % of the machine's. */
  readonly memoryMb?: number;
  /** The number of threads that run queries; by default the number of cores. */
  readonly threads?: number;
  /** Whether a missing read-write database is made, with its folders; yes by default. */
  readonly createIfMissing?: boolean;
  /** Whether statements reach files and the network; no by default. */
  readonly external?: boolean;
  /** The most queries that run at a time; 64 by default. */
  readonly running?: number;
  /** The most queries that wait, and the most writes; 1,024 by default. */
  readonly queueLimit?: number;
  /** Secrets for extensions; those of a type that the database does not know are left out. */
  readonly secrets?: readonly DatabaseSecret[];
  /** Databases beside this one. */
  readonly attach?: readonly Attachment[];
  /** The attached database that unqualified names mean. */
  readonly use?: string | null;
  /** The folder to which paths of attached databases are relative; by default the process's folder. */
  readonly root?: string;
}

/** Opens a database with the native engine, for reading or for writing. */
export async function openNative(options: NativeOptions): Promise<NativeDatabase> {
  const { createIfMissing = true, secrets = [], running = 64, queueLimit = 1024, ...settings } = options;
  const { attach = [], use = null, root = process.cwd() } = options;
  const driver = await loadDriver();
  const engine = await acquireEngine(driver, {
    ...settings,
    // DuckDB opens no database in memory read-only; reads then run in read-only transactions.
    readonly: options.readonly && options.path !== MEMORY_PATH,
    attachments: createAttachments({ attach, use, root, secrets, readonly: options.readonly }),
    create: createIfMissing,
    secrets,
    reads: { places: running, waiting: queueLimit },
    writes: { places: 1, waiting: queueLimit },
  });
  return new NativeDatabase(driver, engine, options.readonly);
}
