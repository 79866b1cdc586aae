import { createEventQueue } from './event-queue.ts';

/** A stream of server-sent events to one client. */
export interface EventStream {
  readonly readable: ReadableStream<Uint8Array>;
  /**
   * Sends a message. It is dropped if the client has gone, or if it announces a change of a resource and the last
   * such message still waits.
   */
  write(message: unknown): void;
  /** Sends an event that is no message. */
  send(event: string): void;
  /** Sends a message that may be lost: it is dropped while many others are queued. */
  offer(message: unknown): void;
  close(): void;
}

/** Proxies cut connections on which nothing happens for a minute or so. */
const KEEP_ALIVE_MS = 15_000;

/**
 * The most messages queued for a client that does not read. Beyond that the client counts as gone and its stream
 * ends.
 */
const MOST_WAITING = 1_000;

/**
 * The part of the queue reserved for messages that must not be lost, because a function may log a thousand lines at
 * once.
 */
const RESERVED = 100;

const encoder = new TextEncoder();

const MAY_BE_LOST: ReadonlySet<string> = new Set(['notifications/progress', 'notifications/message']);

/** Whether a notification may be lost: there may be any number of them, and nothing depends on one. */
export function mayBeLost({ method }: { readonly method: string }): boolean {
  return MAY_BE_LOST.has(method);
}

/** The resource whose change a message announces; null for any other message. */
function updatedUri(message: unknown): string | null {
  const { method, params } = message as { readonly method?: string; readonly params?: { uri?: string } };
  return method === 'notifications/resources/updated' ? (params?.uri ?? null) : null;
}

/** Turns a message into a server-sent event. */
export function toEvent(message: unknown): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}

/** Opens a stream; calls `onGone` once when the client ends it, or when it is open for `mostMs`. */
export function openEventStream(onGone: () => void, mostMs?: number): EventStream {
  let open = true;
  const stop = () => {
    open = false;
    clearInterval(beat);
    clearTimeout(life);
  };
  const gone = () => {
    if (!open) return;
    stop();
    onGone();
  };
  const end = () => {
    gone();
    queue.close();
  };
  const queue = createEventQueue(gone);
  /** The weight of all messages so far. */
  let written = 0;
  /** The resources whose announced change may still wait, each with the weight of all messages up to it. */
  const announced = new Map<string, number>();
  const room = () => (open ? MOST_WAITING - queue.weight : 0);
  const send = (text: string) => {
    if (!open) return;
    if (room() > 0) written += queue.add(encoder.encode(text));
    else end();
  };
  /** Forgets the announced changes that the client has read: it reads messages in their order. */
  const forgetRead = () => {
    const read = written - queue.weight;
    for (const [uri, upTo] of announced) {
      if (upTo > read) return;
      announced.delete(uri);
    }
  };
  const write = (message: unknown) => {
    const uri = updatedUri(message);
    if (uri === null) return send(toEvent(message));
    forgetRead();
    if (!open || announced.has(uri)) return;
    send(toEvent(message));
    announced.set(uri, written);
  };
  const beat = setInterval(() => send(': still here\n\n'), KEEP_ALIVE_MS);
  const life = mostMs === undefined ? undefined : setTimeout(end, mostMs);
  return {
    readable: queue.readable,
    write,
    send,
    offer: (message) => {
      if (room() > RESERVED) send(toEvent(message));
    },
    close: () => {
      stop();
      queue.close();
    },
  };
}
