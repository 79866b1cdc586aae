import type { DuckDBConnection } from '@duckdb/node-api';
import { SvcError } from '../../../src/errors.ts';
import { type Attachment, parseAttachmentUri } from '../../../src/project/attachment.ts';
import { createRedaction, isLostConnection, reasonOf, unreachableError } from './errors.ts';
import { type AttachContext, quoteName, toAttachStatement } from './statement.ts';

/** The databases beside the project's own, and how they are attached. */
export interface AttachOptions extends AttachContext {
  readonly attach: readonly Attachment[];
  /** The database that unqualified names mean; null for the project's own. */
  readonly use: string | null;
}

/** Runs work on a connection of its own. */
export type WithConnection = (work: (connection: DuckDBConnection) => Promise<unknown>) => Promise<void>;

/** The attached databases of one engine. */
export interface Attachments {
  /** Tells the databases that are attached apart from others; null without any. */
  readonly key: string | null;
  readonly names: readonly string[];
  /** The statements that a connection begins with. */
  readonly entering: readonly string[];
  /** Attaches all to an engine that was just opened; throws if a required one cannot be reached. */
  attachAll(connection: DuckDBConnection): Promise<void>;
  /** Uses these secrets too from now on, for databases that are attached again and to conceal them in errors. */
  adopt(secrets: AttachContext['secrets']): void;
  /** Connects again to those that were lost; throws if one is unreachable that the statement needs. */
  restore(sql: string, withConnection: WithConnection): Promise<void>;
  /** An error as the caller sees it: without credentials, and clear about a lost connection. */
  explain(thrown: unknown): unknown;
  /** Whether an error of `explain` is a lost connection, so that a read can run again. */
  isLost(thrown: unknown): boolean;
}

/** The most secrets that are remembered over many reloads. */
const MOST_KNOWN = 1_000;

/** Milliseconds between two attempts to connect to one database. */
const RETRY_MS = 1_000;

/**
 * DuckDB's sqlite extension cannot copy a plan. A common table expression that a statement names twice is copied where
 * it is used, and fails with "Attempted to access index 0 within vector of size 0".
 */
const KEEP_CTES = "SET GLOBAL disabled_optimizers = 'cte_inlining'";

function readsSqlite(uri: string): boolean {
  const { type, address } = parseAttachmentUri(uri);
  return type === 'sqlite' || address.startsWith('sqlite:');
}

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
  let known = options.secrets;
  let redact = createRedaction(known);
  const missing = new Map<string, Missing>();
  const attempts = new Map<string, Promise<void>>();
  const lost = new WeakSet<object>();

  async function tryAttach(connection: DuckDBConnection, attachment: Attachment): Promise<void> {
    try {
      await connection.run(toAttachStatement(attachment, { ...options, secrets: known }));
      missing.delete(attachment.name);
    } catch (thrown) {
      const error = unreachableError([attachment], reasonOf(thrown, redact));
      missing.set(attachment.name, { attachment, error, next: performance.now() + RETRY_MS });
    }
  }

  async function attachAll(connection: DuckDBConnection): Promise<void> {
    if (attach.some(({ uri }) => readsSqlite(uri))) await connection.run(KEEP_CTES);
    for (const attachment of attach) {
      await tryAttach(connection, attachment);
      const failed = missing.get(attachment.name);
      if (failed !== undefined && attachment.required !== false) throw failed.error;
    }
  }

  /** One attempt at a time for each database, shared by all callers. */
  function attempt({ attachment }: Missing, withConnection: WithConnection): Promise<void> {
    const { name } = attachment;
    const running = attempts.get(name);
    if (running !== undefined) return running;
    const begun = withConnection((connection) => tryAttach(connection, attachment)).finally(() => {
      attempts.delete(name);
    });
    attempts.set(name, begun);
    return begun;
  }

  const needs = (sql: string, name: string): boolean =>
    name === use || sql.toLowerCase().includes(name.toLowerCase());

  async function restore(sql: string, withConnection: WithConnection): Promise<void> {
    for (const one of [...missing.values()]) {
      const { name } = one.attachment;
      if (!needs(sql, name)) continue;
      if (performance.now() >= one.next) await attempt(one, withConnection);
      const error = missing.get(name)?.error;
      if (error !== undefined) throw new SvcError(error.code, error.message);
    }
  }

  function explain(thrown: unknown): unknown {
    if (!(thrown instanceof SvcError)) return thrown;
    const servers = attach.filter(({ uri }) => parseAttachmentUri(uri).server !== null);
    if (thrown.code !== 'database_unavailable' && servers.length > 0 && isLostConnection(thrown.message)) {
      const error = unreachableError(servers, reasonOf(thrown, redact));
      for (const attachment of servers) missing.set(attachment.name, { attachment, error, next: 0 });
      lost.add(error);
      return error;
    }
    const message = redact(thrown.message);
    // The cause would carry what was removed.
    return message === thrown.message ? thrown : new SvcError(thrown.code, message);
  }

  return {
    key: attach.length === 0 ? null : JSON.stringify(attach),
    adopt(secrets) {
      // The newest first: the first of a name is used. Older values may still be in an error of a lost connection.
      known = [...secrets, ...known.filter((one) => !secrets.includes(one))].slice(0, MOST_KNOWN);
      redact = createRedaction(known);
    },
    names: attach.map(({ name }) => name),
    entering: use === null ? [] : [`USE ${quoteName(use)}`],
    attachAll,
    restore,
    explain,
    isLost: (thrown) => typeof thrown === 'object' && thrown !== null && lost.has(thrown),
  };
}
