import type { DuckDBConnection } from '@duckdb/node-api';
import { causesOf, SvcError } from '../../../src/errors.ts';
import { type Attachment, isRemote, parseAttachmentUri } from '../../../src/project/attachment.ts';
import { quoteName } from '../../../src/sql/quote.ts';
import { inodeOf } from '../files/read-locks.ts';
import {
  absentDatabase,
  createRedaction,
  isLostConnection,
  lostAmong,
  reasonOf,
  unreachableError,
} from './errors.ts';
import { namesDatabase } from './named.ts';
import { type AttachContext, enforceFile, readFileOf, toAttachStatement } from './statement.ts';

/** The databases beside the project's own, and how they are attached. */
export interface AttachOptions extends AttachContext {
  readonly attach: readonly Attachment[];
  /** The database that unqualified names mean; null for the project's own. */
  readonly use: string | null;
  /** Whether statements reach files and the network. Without it, the engine opens no files of this machine after its start. */
  readonly external?: boolean;
}

/** Runs work on a connection of its own. */
export type WithConnection = (work: (connection: DuckDBConnection) => Promise<unknown>) => Promise<void>;

/** The attached databases of one engine. */
export interface Attachments {
  /** Tells the databases that are attached apart from others; null without any. */
  readonly key: string | null;
  /** Whether a file is open for writing, which only one engine of a process may do. */
  readonly writesFile: boolean;
  /** The files of DuckDB that are attached read-only. */
  readonly readFiles: readonly string[];
  readonly names: readonly string[];
  /** The project's own database, if `database.path` is an address: it is then one of those that are attached. */
  readonly own: string | null;
  /** Returns the statements that a connection begins with. One that is `unattached` sees the project's own database alone. */
  entering(unattached: boolean): readonly string[];
  /** Attaches all to an engine that was just opened; throws if a required one cannot be reached. */
  attachAll(connection: DuckDBConnection): Promise<void>;
  /**
   * Connects to the database servers again after their secrets were changed. Throws, and changes nothing, if a required
   * server cannot be reached with them.
   */
  reconnect(connection: DuckDBConnection, secrets: AttachContext['secrets']): Promise<void>;
  /**
   * Attaches the files of DuckDB again that are only read and that were replaced, and all behind addresses. A statement
   * that runs goes on with the old file. Returns the paths of those on this machine. Throws, and changes nothing, if a
   * required one cannot be attached.
   */
  attachAgain(connection: DuckDBConnection): Promise<readonly string[]>;
  /** Uses these secrets too from now on, for databases that are attached again and to conceal them in errors. */
  adopt(secrets: AttachContext['secrets']): void;
  /**
   * Connects again to those that were lost and that the statement needs, and detaches the other lost ones, because
   * DuckDB asks every attached database for a list of tables. Throws if one is unreachable that the statement needs.
   */
  restore(statement: Statement, withConnection: WithConnection): Promise<void>;
  /** An error as the caller sees it: without credentials, and clear about a lost connection. */
  explain(thrown: unknown): unknown;
  /** Whether an error of `explain` is a lost connection, so that a read can run again. */
  isLost(thrown: unknown): boolean;
}

/** The most secrets that are remembered over many reloads. */
const MOST_KNOWN = 1_000;

/** A statement; with `unattached` it sees the project's own database alone. */
export interface Statement {
  readonly sql: string;
  readonly unattached?: boolean;
}

/** Milliseconds between two attempts to connect to one database. */
const RETRY_MS = 1_000;

/**
 * DuckDB's sqlite extension cannot copy a plan. DuckDB copies a common table expression that a statement names twice,
 * and the statement fails with "Attempted to access index 0 within vector of size 0".
 */
const KEEP_CTES = "SET GLOBAL disabled_optimizers = 'cte_inlining'";

function readsSqlite(uri: string): boolean {
  const { type, address } = parseAttachmentUri(uri);
  return type === 'sqlite' || address.startsWith('sqlite:');
}

function isRemoteFile({ uri }: Attachment): boolean {
  const { type, address } = parseAttachmentUri(uri);
  return type === 'duckdb' && isRemote(address);
}

/** The reasons while a server is connected to again, and while a file is. */
const RECONNECTING = 'its connection is being made again with other credentials';
const REPLACED = 'its file was replaced, and the new one is being opened';

/** The name under which new credentials are tried, beside the database that is in use. */
const TRIAL = '__svc_trial';

/** A database that is not attached, or whose connection was lost. */
interface Missing {
  readonly attachment: Attachment;
  readonly error: SvcError;
  /** The earliest time of the next attempt, by `performance.now()`. */
  readonly next: number;
}

/** Creates the attachments of an engine; nothing is attached yet. */
export function createAttachments(options: AttachOptions): Attachments {
  const { attach, use } = options;
  const own = attach.find((one) => one.own === true)?.name ?? null;
  let known = options.secrets;
  let redact = createRedaction(known);
  const missing = new Map<string, Missing>();
  const attempts = new Map<string, Promise<void>>();
  /** Those that were lost and detached. */
  const detached = new Set<string>();
  /** The files that were attached read-only, by name of the database: the path with its inode. */
  const files = new Map<string, { readonly path: string; readonly inode: string | null }>();
  /** Those that a statement missed without naming them, for instance in a view. */
  const missed = new Set<string>();
  const lost = new WeakSet<object>();

  async function tryAttach(connection: DuckDBConnection, attachment: Attachment): Promise<void> {
    try {
      enforceFile(attachment, options);
      const path = readFileOf(attachment, options);
      const inode = path === null ? null : await inodeOf(path);
      await connection.run(toAttachStatement(attachment, { ...options, secrets: known }));
      if (path !== null) files.set(attachment.name, { path, inode });
      missing.delete(attachment.name);
      detached.delete(attachment.name);
    } catch (thrown) {
      const error = unreachableError([attachment], reasonOf(thrown, redact));
      missing.set(attachment.name, { attachment, error, next: performance.now() + RETRY_MS });
    }
  }

  /** Whether a server that starts without a database can connect to it later. */
  const isLater = ({ uri }: Attachment): boolean =>
    options.external === true || parseAttachmentUri(uri).file === null;

  async function attachAll(connection: DuckDBConnection): Promise<void> {
    if (attach.some(({ uri }) => readsSqlite(uri))) await connection.run(KEEP_CTES);
    for (const attachment of attach) {
      await tryAttach(connection, attachment);
      const failed = missing.get(attachment.name);
      if (failed === undefined) continue;
      if (!isLater(attachment)) throw withoutNext(failed.error, '');
      if (attachment.required !== false) throw withoutNext(failed.error, START_WITHOUT);
    }
  }

  async function reconnect(connection: DuckDBConnection, secrets: AttachContext['secrets']): Promise<void> {
    const servers = attach.filter(({ uri }) => parseAttachmentUri(uri).server !== null);
    await tryOut(connection, servers, secrets);
    adopt(secrets);
    for (const attachment of servers) await renew(connection, attachment, RECONNECTING);
  }

  /**
   * Detaches a database and attaches it again, because ATTACH alone leaves a database of this name and path as it is. Calls
   * wait as for a lost connection.
   */
  async function renew(connection: DuckDBConnection, attachment: Attachment, reason: string): Promise<void> {
    const { name } = attachment;
    while (attempts.has(name)) await attempts.get(name);
    missing.set(name, { attachment, error: unreachableError([attachment], reason), next: 0 });
    await attempt(name, async () => {
      await connection.run(`DETACH DATABASE IF EXISTS ${quoteName(name)}`);
      await tryAttach(connection, attachment);
    });
  }

  /** Attaches each required database under another name, and detaches it. Throws if one cannot be attached. */
  async function tryOut(
    connection: DuckDBConnection,
    attached: readonly Attachment[],
    secrets: AttachContext['secrets'],
  ): Promise<void> {
    for (const attachment of attached.filter(({ required }) => required !== false)) {
      try {
        await connection.run(toAttachStatement({ ...attachment, name: TRIAL }, { ...options, secrets }));
      } catch (thrown) {
        const reason = reasonOf(thrown, createRedaction([...secrets, ...known]));
        throw withoutNext(unreachableError([attachment], reason), START_WITHOUT);
      }
      await connection.run(`DETACH DATABASE ${quoteName(TRIAL)}`);
    }
  }

  async function attachAgain(connection: DuckDBConnection): Promise<readonly string[]> {
    const replaced = await findReplaced();
    const again = attach.filter((one) => isRemoteFile(one) || replaced.has(one.name));
    await tryOut(connection, again, known);
    for (const attachment of again) await renew(connection, attachment, REPLACED);
    return again.flatMap(({ name }) => replaced.get(name) ?? []);
  }

  /** The paths in whose place is another file than the one that is attached, or none, by name of the database. */
  async function findReplaced(): Promise<ReadonlyMap<string, string>> {
    const replaced = new Map<string, string>();
    for (const [name, { path, inode }] of files)
      if (!missing.has(name) && (await inodeOf(path)) !== inode) replaced.set(name, path);
    return replaced;
  }

  function adopt(secrets: AttachContext['secrets']): void {
    // The newest first: the first of a name is used. Older values may still be in an error of a lost connection.
    known = [...secrets, ...known.filter((one) => !secrets.includes(one))].slice(0, MOST_KNOWN);
    redact = createRedaction(known);
  }

  /** One attempt at a time for each database, shared by all callers. */
  function attempt(name: string, work: () => Promise<void>): Promise<void> {
    const running = attempts.get(name);
    if (running !== undefined) return running;
    const begun = work().finally(() => attempts.delete(name));
    attempts.set(name, begun);
    return begun;
  }

  async function detach(name: string, withConnection: WithConnection): Promise<void> {
    if (detached.has(name)) return;
    await attempt(name, () =>
      withConnection(async (connection) => {
        await connection.run(`DETACH DATABASE IF EXISTS ${quoteName(name)}`);
        detached.add(name);
      }),
    );
  }

  const needs = ({ sql, unattached = false }: Statement, name: string): boolean =>
    unattached ? name === own : missed.delete(name) || name === use || namesDatabase(sql, name);

  async function restore(statement: Statement, withConnection: WithConnection): Promise<void> {
    for (const { attachment } of [...missing.values()]) {
      const { name } = attachment;
      if (!needs(statement, name)) {
        await detach(name, withConnection);
        continue;
      }
      // Another statement may just detach it, or attach it.
      await attempts.get(name)?.catch(() => {});
      if (performance.now() >= (missing.get(name)?.next ?? Number.POSITIVE_INFINITY)) {
        await attempt(name, () => withConnection((connection) => tryAttach(connection, attachment)));
      }
      const error = missing.get(name)?.error;
      if (error !== undefined) throw new SvcError(error.code, error.message);
    }
  }

  function explain(thrown: unknown): unknown {
    if (!(thrown instanceof SvcError)) return thrown;
    const servers = attach.filter(({ uri }) => parseAttachmentUri(uri).server !== null);
    const absent = missing.get(absentDatabase(thrown.message) ?? '');
    if (absent !== undefined) {
      missed.add(absent.attachment.name);
      const error = new SvcError(absent.error.code, absent.error.message);
      lost.add(error);
      return error;
    }
    if (thrown.code !== 'database_unavailable' && servers.length > 0 && isLostConnection(thrown.message)) {
      const away = lostAmong(servers, thrown.message);
      const error = unreachableError(away, reasonOf(thrown, redact));
      for (const attachment of away) missing.set(attachment.name, { attachment, error, next: 0 });
      lost.add(error);
      return error;
    }
    const message = redact(thrown.message);
    const clean = [thrown.message, ...causesOf(thrown)].every((text) => redact(text) === text);
    // The cause would carry what was removed.
    return clean ? thrown : new SvcError(thrown.code, message);
  }

  return {
    key: attach.length === 0 ? null : JSON.stringify(attach),
    writesFile: attach.some(
      ({ uri, readonly }) =>
        readonly === false && !options.readonly && parseAttachmentUri(uri).server === null,
    ),
    readFiles: attach.flatMap((attachment) => readFileOf(attachment, options) ?? []),
    adopt,
    reconnect,
    attachAgain,
    names: attach.map(({ name }) => name),
    own,
    entering: (unattached) => {
      const entered = unattached ? own : use;
      return entered === null ? [] : [`USE ${quoteName(entered)}`];
    },
    attachAll,
    restore,
    explain,
    isLost: (thrown) => typeof thrown === 'object' && thrown !== null && lost.has(thrown),
  };
}

const START_WITHOUT = ' With `required: false` a server starts without it.';

/** The error when there is no next call, with advice in place of it. */
function withoutNext({ code, message }: SvcError, advice: string): SvcError {
  return new SvcError(code, message.replace(' The next call connects again.', advice));
}
