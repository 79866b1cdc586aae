import type { DuckDBConnection } from '@duckdb/node-api';
import { causesOf, SvcError } from '../../../src/errors.ts';
import { type Attachment, parseAttachmentUri } from '../../../src/project/attachment.ts';
import { quoteName } from '../../../src/sql/quote.ts';
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

/** The reason while a server is connected to again. */
const RECONNECTING = 'its connection is being made again with other credentials';

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
  /** Those that a statement missed without naming them, for instance in a view. */
  const missed = new Set<string>();
  const lost = new WeakSet<object>();

  async function tryAttach(connection: DuckDBConnection, attachment: Attachment): Promise<void> {
    try {
      enforceFile(attachment, options);
      await connection.run(toAttachStatement(attachment, { ...options, secrets: known }));
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
    for (const attachment of servers.filter(({ required }) => required !== false)) {
      try {
        await connection.run(toAttachStatement({ ...attachment, name: TRIAL }, { ...options, secrets }));
      } catch (thrown) {
        throw withoutNext(
          unreachableError([attachment], reasonOf(thrown, createRedaction([...secrets, ...known]))),
          START_WITHOUT,
        );
      }
      await connection.run(`DETACH DATABASE ${quoteName(TRIAL)}`);
    }
    adopt(secrets);
    // DuckDB connects again only if the database is detached first. Calls wait for it as for a lost connection.
    for (const attachment of servers) {
      const { name } = attachment;
      while (attempts.has(name)) await attempts.get(name);
      missing.set(name, { attachment, error: unreachableError([attachment], RECONNECTING), next: 0 });
      await attempt(name, async () => {
        await connection.run(`DETACH DATABASE IF EXISTS ${quoteName(name)}`);
        await tryAttach(connection, attachment);
      });
    }
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
