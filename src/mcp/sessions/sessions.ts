import type { User } from '../../context.ts';
import { type ChangeListener, type Changes, createChanges } from '../changes.ts';
import { openEventStream } from '../transport/event-stream.ts';
import { createSession, type McpSession, notifySession } from './session.ts';

/** The limits on the life of sessions, in milliseconds, and on their number. */
export interface SessionLimits {
  readonly idleMs: number;
  readonly lifeMs: number;
  readonly most: number;
  /** The most sessions of one user, so that no user ends the sessions of others by beginning many. */
  readonly mostOfUser: number;
  readonly now: () => number;
}

/** The sessions of clients of the legacy era; an id opens one only to the user who began it. */
export interface Sessions extends ChangeListener {
  begin(user: User | null): McpSession;
  /** Returns null for a session that is over, or that belongs to another user. */
  find(id: string, user: User | null): McpSession | null;
  end(session: McpSession): void;
  /** Opens the stream for messages that belong to no call; an earlier one ends. After `close` it ends at once. */
  listen(session: McpSession): ReadableStream<Uint8Array>;
  /** Ends the streams; calls that are running go on. */
  close(): void;
}

interface Held {
  readonly session: McpSession;
  readonly subject: string | null;
  readonly until: number;
  lastAt: number;
}

const LIMITS: SessionLimits = {
  idleMs: 30 * 60_000,
  lifeMs: 24 * 60 * 60_000,
  most: 10_000,
  mostOfUser: 1_000,
  now: Date.now,
};

/** The sessions and changes of a long-lived server; they outlive a reload. */
export interface Live {
  readonly sessions: Sessions;
  readonly changes: Changes;
  /** Ends the streams of listening clients. */
  close(): void;
}

/** The owner of a session or of a sealed state; null for anonymous callers. */
export function subjectOf(user: User | null): string | null {
  if (user === null) return null;
  const { provider, id, apiKey } = user;
  return JSON.stringify(apiKey === undefined ? [provider, id] : [provider, id, apiKey]);
}

/** Sessions in memory, the one that rests longest first. */
export function createSessions(limits: Partial<SessionLimits> = {}): Sessions {
  const { idleMs, lifeMs, most, mostOfUser, now } = { ...LIMITS, ...limits };
  const held = new Map<string, Held>();
  /** The sessions of each user, in the same order. Anonymous callers cannot be told apart. */
  const owned = new Map<string, Set<Held>>();
  let closed = false;

  const own = (one: Held): void => {
    if (one.subject === null) return;
    const all = owned.get(one.subject) ?? new Set();
    owned.set(one.subject, all.add(one));
  };
  const disown = (one: Held): void => {
    const all = one.subject === null ? undefined : owned.get(one.subject);
    all?.delete(one);
    if (one.subject !== null && all?.size === 0) owned.delete(one.subject);
  };
  const isOver = ({ session, until, lastAt }: Held): boolean => {
    const at = now();
    const busy = session.stream !== null || session.calls.size > 0;
    return at >= until || (!busy && at - lastAt >= idleMs);
  };
  const drop = (one: Held): void => {
    const { session } = one;
    held.delete(session.id);
    disown(one);
    for (const cancel of session.calls.values()) cancel();
    session.stream?.close();
  };
  const touch = (one: Held): void => {
    one.lastAt = now();
    held.delete(one.session.id);
    held.set(one.session.id, one);
    disown(one);
    own(one);
  };
  /** Makes room for a new session of a user by ending the one that rests longest. */
  const bound = (subject: string | null): void => {
    const all = subject === null ? undefined : owned.get(subject);
    const [oldest] = all ?? [];
    if (oldest !== undefined && (all?.size ?? 0) >= mostOfUser) drop(oldest);
  };
  /** Looks at the two that rest longest, which keeps up with any number that begin. */
  const sweep = (): void => {
    for (const one of [...held.values().take(2)]) {
      if (isOver(one) || held.size > most) drop(one);
      else if (one.session.stream !== null) touch(one);
    }
  };

  return {
    begin(user) {
      const session = createSession(crypto.randomUUID());
      const [at, subject] = [now(), subjectOf(user)];
      bound(subject);
      touch({ session, subject, until: at + lifeMs, lastAt: at });
      sweep();
      return session;
    },
    find(id, user) {
      const one = held.get(id);
      if (one === undefined || one.subject !== subjectOf(user)) return null;
      if (!isOver(one)) touch(one);
      else drop(one);
      return held.has(id) ? one.session : null;
    },
    end(session) {
      const one = held.get(session.id);
      if (one !== undefined) drop(one);
    },
    listen(session) {
      session.stream?.close();
      const left = (held.get(session.id)?.until ?? 0) - now();
      const stream = openEventStream(() => {
        if (session.stream === stream) session.stream = null;
      }, left);
      session.stream = stream;
      if (closed) stream.close();
      return stream.readable;
    },
    *tell(change) {
      for (const { session } of [...held.values()]) yield* notifySession(session, change);
    },
    watchedBy(owner) {
      const all = owner === undefined ? held.values() : (owned.get(owner) ?? []);
      let sum = 0;
      for (const one of all) {
        // They are swept only when sessions begin.
        if (isOver(one)) drop(one);
        else sum += one.session.subscriptions.size;
      }
      return sum;
    },
    close() {
      closed = true;
      for (const { session } of held.values()) session.stream?.close();
    },
  };
}

/** Makes sessions that are notified of every change. */
export function openLive(changes: Changes = createChanges()): Live {
  const sessions = createSessions();
  const unlisten = changes.listen(sessions);
  return {
    sessions,
    changes,
    close() {
      unlisten();
      sessions.close();
      changes.close();
    },
  };
}
