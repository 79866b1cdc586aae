import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { SvcError } from '../../src/errors.ts';
import type { Driver } from './driver.ts';
import { loadExtensions } from './extensions.ts';
import { missingText, toOpenError } from './failure.ts';
import { type EngineSettings, lockdown, openOptions } from './settings.ts';
import { createTurns, type TakeTurn } from './turns.ts';

/** Which file to open, and how. */
export interface EngineOptions extends EngineSettings {
  readonly path: string;
  /** Whether a missing file is made. */
  readonly create: boolean;
}

/** One DuckDB over one file; whoever opened it releases it. */
export interface Engine {
  /** As the file was opened; a reader that shares a writer's engine is held to reading by its transactions. */
  readonly readonly: boolean;
  /** Statements that write take turns, so that they never conflict. */
  readonly takeTurn: TakeTurn;
  connect(): Promise<DuckDBConnection>;
  release(): Promise<void>;
}

interface Held {
  readonly instance: DuckDBInstance;
  readonly takeTurn: TakeTurn;
  users: number;
}

/**
 * The files this process has open, by inode. DuckDB's lock keeps other processes out but not its own, so a file open
 * for writing is opened once and shared: while a reload swaps one runtime for another, both have it.
 */
const writers = new Map<string, Held>();
const readers = new Map<string, number>();
const takeTurnToOpen = createTurns();

/** Opens a database file, or shares the engine that already writes to it in this process. */
export function acquireEngine(driver: Driver, options: EngineOptions): Promise<Engine> {
  return takeTurnToOpen(async () => {
    const key = await fileKey(options.path);
    if (key === null) await prepareCreation(options);
    const writer = key === null ? undefined : writers.get(key);
    if (key !== null && writer !== undefined) return shareWriter(key, writer);
    if (!options.readonly && key !== null && readers.has(key)) throw openForReading(options.path);
    const instance = await openInstance(driver, options);
    const opened = (await fileKey(options.path)) ?? options.path;
    return options.readonly ? holdReader(opened, instance) : holdWriter(opened, instance);
  });
}

function holdWriter(key: string, instance: DuckDBInstance): Engine {
  const held: Held = { instance, takeTurn: createTurns(), users: 0 };
  if (key !== MEMORY) writers.set(key, held);
  return shareWriter(key, held);
}

function shareWriter(key: string, held: Held): Engine {
  held.users += 1;
  return {
    readonly: false,
    takeTurn: held.takeTurn,
    connect: () => held.instance.connect(),
    release: () => takeTurnToOpen(() => releaseWriter(key, held)),
  };
}

async function releaseWriter(key: string, held: Held): Promise<void> {
  held.users -= 1;
  if (held.users > 0) return;
  if (writers.get(key) === held) writers.delete(key);
  try {
    await runAll(held.instance, ['CHECKPOINT']);
  } finally {
    held.instance.closeSync();
  }
}

function holdReader(key: string, instance: DuckDBInstance): Engine {
  readers.set(key, (readers.get(key) ?? 0) + 1);
  return {
    readonly: true,
    takeTurn: createTurns(),
    connect: () => instance.connect(),
    release: async () => {
      const left = (readers.get(key) ?? 1) - 1;
      if (left === 0) readers.delete(key);
      else readers.set(key, left);
      instance.closeSync();
    },
  };
}

async function openInstance({ api }: Driver, options: EngineOptions): Promise<DuckDBInstance> {
  try {
    const instance = await api.DuckDBInstance.create(options.path, openOptions(options));
    await withConnection(instance, (connection) => loadExtensions(connection, options));
    await runAll(instance, lockdown(options));
    return instance;
  } catch (thrown) {
    if (thrown instanceof SvcError) throw thrown;
    throw toOpenError(options.path, thrown);
  }
}

async function runAll(instance: DuckDBInstance, statements: readonly string[]): Promise<void> {
  await withConnection(instance, (connection) => connection.run(statements.join(';\n')));
}

async function withConnection(
  instance: DuckDBInstance,
  work: (connection: DuckDBConnection) => Promise<unknown>,
): Promise<void> {
  const connection = await instance.connect();
  try {
    await work(connection);
  } finally {
    connection.closeSync();
  }
}

const MEMORY = ':memory:';

async function fileKey(path: string): Promise<string | null> {
  const found = await stat(path, { bigint: true }).catch(() => null);
  return found && `${found.dev}:${found.ino}`;
}

async function prepareCreation({ path, readonly, create }: EngineOptions): Promise<void> {
  if (path === MEMORY) return;
  if (readonly || !create) throw new SvcError('database_unavailable', missingText(path));
  try {
    await mkdir(dirname(path), { recursive: true });
  } catch (thrown) {
    throw toOpenError(path, thrown);
  }
}

function openForReading(path: string): SvcError {
  return new SvcError(
    'database_unavailable',
    `The database ${path} is open read-only in this process, so it cannot be opened for writing as well.`,
  );
}
