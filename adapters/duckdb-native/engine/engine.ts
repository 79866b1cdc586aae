import { access, constants } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DuckDBInstance } from '@duckdb/node-api';
import { SvcError } from '../../../src/errors.ts';
import { Lanes } from '../../../src/sql/lanes/lanes.ts';
import { Neighbours } from '../../../src/sql/neighbours.ts';
import { makeFolder } from '../../node/make-folder.ts';
import type { Attachments } from '../attach/attachments.ts';
import type { Driver } from '../driver/driver.ts';
import { missingText, toOpenError } from '../errors.ts';
import { inodeOf, isRead, keepLocked, lockAfterFailure } from '../files/read-locks.ts';
import type { DatabaseSecret } from '../options.ts';
import { type BuiltIns, readBuiltIns } from '../query/confine.ts';
import type { NativeLane } from '../query/lane.ts';
import { createQueue, type QueueSize, type RunQueued } from '../query/queue.ts';
import { checkStandIns } from '../query/stand-ins.ts';
import { loadExtensions } from './extensions.ts';
import { Instance } from './instance.ts';
import { applySecrets } from './secrets.ts';
import { type EngineSettings, lockdown, openOptions } from './settings.ts';

/** The file to open, how, and for how many statements at a time. */
export interface EngineOptions extends EngineSettings {
  readonly path: string;
  /** Whether to create a missing file. */
  readonly create: boolean;
  readonly secrets: readonly DatabaseSecret[];
  readonly attachments: Attachments;
  /** The limits on queries, and on writes, that run at a time and that wait. */
  readonly reads: QueueSize;
  readonly writes: QueueSize;
}

/** One DuckDB over one file. The caller that acquired it releases it. */
export interface Engine {
  /** Whether the file was opened read-only. A reader that shares a writer's engine reads in read-only transactions. */
  readonly readonly: boolean;
  /** Whether statements reach files and the network. */
  readonly external: boolean;
  /** Whether statements may wait for a network or for another database. Then each runs on a thread of its own. */
  readonly outside: boolean;
  /** The functions that callers' own statements may use if the project's statements reach files or the network. */
  readonly builtIns: BuiltIns;
  readonly takeRead: RunQueued;
  /** The statements of all users of this engine. */
  readonly neighbours: Neighbours;
  /** Statements that write take turns, so that they never conflict. */
  readonly takeWrite: RunQueued;
  /**
   * Statements that write files take turns until nothing of them is left. A store that answers late would otherwise get an
   * older file after a newer one.
   */
  readonly takeExport: RunQueued;
  readonly attachments: Attachments;
  readonly lanes: Lanes<NativeLane>;
  readonly instance: Pick<Instance, 'connect' | 'recover' | 'reopen' | 'restarting' | 'with'>;
  release(): Promise<void>;
}

/** Statements that never end, or that take little memory, must not keep a second attempt from running. */
const PATIENCE_MS = 1_000;
/** The number of writes that wait for a network after their deadline, while other writes go on. */
const ABANDONED_WRITES = 6;

/** As many connections as run queries at a time by default. */
const IDLE_LANES = 64;

/** An engine with the number of its users. */
interface Held extends Omit<Engine, 'instance' | 'release'> {
  readonly instance: Instance;
  readonly path: string;
  /** The secrets and attachments of all users; they are made again when the file is opened again. */
  readonly secrets: DatabaseSecret[];
  readonly attached: Attachments[];
  /** Ends the lock of each file that is read, by its path. Called after the file is closed. */
  readonly unlock: Map<string, () => Promise<void>>;
  users: number;
}

/**
 * The files this process has open for writing, by inode. DuckDB's lock keeps out other processes, but not a second instance in this
 * one. A file open for writing is therefore opened once and shared, for instance by both runtimes during a reload.
 */
const writers = new Map<string, Held>();
const openInTurn = createSerial();

/** Opens a database file, or shares the engine that already writes to it in this process. */
export function acquireEngine(driver: Driver, options: EngineOptions): Promise<Engine> {
  return openInTurn(async () => {
    const key = await keyOf(options);
    if (key === null) await prepareCreation(options);
    else if (!options.readonly && options.path !== MEMORY) await checkFolder(options.path);
    const writer = key === null ? undefined : writers.get(key);
    if (key !== null && writer !== undefined)
      return writer.lanes.change(() => joinWriter(driver, key, writer, options));
    refuseReplaced(options);
    if (!options.readonly && key !== null && isRead(key)) throw openForReading(options.path);
    const held = await open(driver, options);
    return options.readonly ? holdReader(held) : holdWriter((await keyOf(options)) ?? options.path, held);
  });
}

/** Whether this process has a file open for writing. */
export async function isOpenForWriting(path: string): Promise<boolean> {
  const key = await inodeOf(path);
  return key !== null && writers.has(key);
}

async function open(driver: Driver, options: EngineOptions): Promise<Held> {
  const secrets = [...options.secrets];
  const attached = [options.attachments];
  const outside = options.external === true || options.attachments.names.length > 0;
  let builtIns: BuiltIns = new Set();
  const lanes = new Lanes<NativeLane>(IDLE_LANES);
  const openAgain = () =>
    openEngine(driver, { ...options, secrets, attached, outside }, (found) => {
      builtIns = found;
    });
  const files = readFilesOf(options);
  const instance = await Instance.open(openAgain, () => lanes.clear()).catch(async (thrown: unknown) => {
    await lockAfterFailure(driver.openInstance, files);
    throw thrown;
  });
  const unlock: Held['unlock'] = new Map();
  await lock(unlock, driver.openInstance, files);
  return {
    path: options.path,
    readonly: options.readonly,
    external: options.external ?? false,
    outside,
    takeRead: createQueue(options.reads),
    neighbours: new Neighbours({ patienceMs: PATIENCE_MS }),
    takeWrite: createQueue({ ...options.writes, abandoned: ABANDONED_WRITES }),
    takeExport: createQueue({ ...options.writes, places: 1 }),
    builtIns,
    attachments: options.attachments,
    lanes,
    instance,
    secrets,
    attached,
    unlock,
    users: 0,
  };
}

/** The files of DuckDB that an engine locks for reading. */
function readFilesOf({ path, readonly, attachments }: EngineOptions): readonly string[] {
  return [...(readonly && path !== MEMORY ? [path] : []), ...attachments.readFiles];
}

async function close({ instance, unlock }: Held): Promise<void> {
  await instance.close();
  for (const release of unlock.values()) await release();
}

/** Locks the files at paths. A file that was at such a path before has lost its lock by the end. */
async function lock(
  unlock: Held['unlock'],
  openInstance: Driver['openInstance'],
  paths: readonly string[],
): Promise<void> {
  for (const path of paths) {
    const release = await keepLocked(openInstance, path);
    await unlock.get(path)?.();
    unlock.set(path, release);
  }
}

/**
 * Shares a writer's engine, with these secrets from now on. Those before stay if the new ones cannot be used, for instance
 * if a database server refuses them. Other attached databases are attached as well: a name that another user gave to another database means the new one.
 * Attached files that were replaced are attached again.
 */
async function joinWriter(
  { openInstance }: Driver,
  key: string,
  held: Held,
  { secrets, attachments }: EngineOptions,
): Promise<Engine> {
  const last = held.attached.at(-1);
  const same = last?.key === attachments.key ? last : undefined;
  let opened = attachments.readFiles;
  try {
    await held.instance.with(async (connection) => {
      await applySecrets(connection, secrets);
      if (same === undefined) return attachments.attachAll(connection);
      if (changesServers(held.secrets, secrets)) await same.reconnect(connection, secrets);
      opened = await same.attachAgain(connection);
    });
  } catch (thrown) {
    await held.instance.with((connection) => applySecrets(connection, held.secrets));
    throw thrown;
  }
  const names = new Set(secrets.map(({ name }) => name));
  held.secrets.splice(0, Infinity, ...held.secrets.filter(({ name }) => !names.has(name)), ...secrets);
  for (const one of held.attached) one.adopt(secrets);
  if (same === undefined) held.attached.push(attachments);
  await lock(held.unlock, openInstance, opened);
  return { ...shareWriter(key, held), attachments: same ?? attachments };
}

/** Whether a secret of a database server is another one than before. DuckDB reads those of object stores for each file. */
function changesServers(before: readonly DatabaseSecret[], now: readonly DatabaseSecret[]): boolean {
  return now
    .filter(({ type }) => SERVER.test(type))
    .some((secret) => {
      const old = before.find(({ name }) => name === secret.name);
      return old !== undefined && JSON.stringify(old) !== JSON.stringify(secret);
    });
}

const SERVER = /^(?:postgres|mysql)$/i;

function holdWriter(key: string, held: Held): Engine {
  if (key !== MEMORY) writers.set(key, held);
  return shareWriter(key, held);
}

/**
 * Throws if another file is at the path of a file that is open for writing. Two files of one path would share the log
 * beside them, so both would be damaged.
 */
function refuseReplaced({ path }: EngineOptions): void {
  if (path === MEMORY || [...writers.values()].every((held) => held.path !== path)) return;
  throw new SvcError(
    'database_unavailable',
    `${path} was replaced by another file while it is open for writing. The file that was opened stays in use.
Stop the server before the file is replaced, or open the database read-only: then a reload takes up the new file.`,
  );
}

function shareWriter(key: string, held: Held): Engine {
  held.users += 1;
  return { ...held, release: () => openInTurn(() => releaseWriter(key, held)) };
}

async function releaseWriter(key: string, held: Held): Promise<void> {
  held.users -= 1;
  if (held.users > 0) return;
  if (writers.get(key) === held) writers.delete(key);
  try {
    await held.instance.with((connection) => connection.run('CHECKPOINT'));
  } catch {
    // Committed data is in the log beside the file. The next process that opens the file reads it from there.
  } finally {
    await close(held);
  }
}

function holdReader(held: Held): Engine {
  return { ...held, release: () => openInTurn(() => close(held)) };
}

interface OpenOptions extends EngineOptions {
  readonly attached: readonly Attachments[];
}

type OnBuiltIns = (builtIns: BuiltIns) => void;

async function openEngine(
  { openInstance }: Driver,
  options: OpenOptions,
  onBuiltIns: OnBuiltIns,
): Promise<DuckDBInstance> {
  try {
    const instance = await openInstance(options.path, openOptions(options));
    await setUp(instance, options, onBuiltIns);
    return instance;
  } catch (thrown) {
    if (thrown instanceof SvcError) throw thrown;
    throw toOpenError(options.path, options.readonly, thrown);
  }
}

async function setUp(instance: DuckDBInstance, options: OpenOptions, onBuiltIns: OnBuiltIns): Promise<void> {
  const connection = await instance.connect();
  try {
    if (options.external || options.attached.some(({ names }) => names.length > 0))
      onBuiltIns(await readBuiltIns(connection));
    await checkStandIns(connection);
    await loadExtensions(connection, options);
    await applySecrets(connection, options.secrets);
    for (const attachments of options.attached) await attachments.attachAll(connection);
    await connection.run(lockdown(options).join(';\n'));
  } catch (thrown) {
    connection.closeSync();
    instance.closeSync();
    throw thrown;
  }
  connection.closeSync();
}

const MEMORY = ':memory:';

/** Names a file by its inode, and a database in memory by the files that are attached to it for writing; null without either. */
async function keyOf({ path, attachments }: EngineOptions): Promise<string | null> {
  if (path === MEMORY) return attachments.writesFile ? attachments.key : null;
  return inodeOf(path);
}

async function prepareCreation({ path, readonly, create }: EngineOptions): Promise<void> {
  if (path === MEMORY) return;
  if (readonly || !create) throw new SvcError('database_unavailable', missingText(path));
  try {
    makeFolder(dirname(path));
  } catch (thrown) {
    throw toOpenError(path, readonly, thrown);
  }
}

/** Checks that the folder is writable: DuckDB would notice at the first commit only. */
async function checkFolder(path: string): Promise<void> {
  try {
    await access(dirname(path), constants.W_OK);
  } catch (thrown) {
    throw toOpenError(path, false, thrown);
  }
}

function openForReading(path: string): SvcError {
  return new SvcError(
    'database_unavailable',
    `The database ${path} is open read-only in this process, so it cannot be opened for writing as well.`,
  );
}

/** Returns a function that runs work one at a time, in the order it was asked for; a failure does not stop the next. */
export function createSerial(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work, work);
    last = turn.catch(() => {});
    return turn;
  };
}
