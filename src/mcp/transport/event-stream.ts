/** A stream of server-sent events to one client. */
export interface EventStream {
  readonly readable: ReadableStream<Uint8Array>;
  /** Sends a message; it is dropped if the client has gone. */
  write(message: unknown): void;
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

/** A message counts once more for so many bytes. Without that, a client that does not read could have us keep 4 GiB. */
const BYTES_OF_ONE = 64 * 1024;

const encoder = new TextEncoder();

const MAY_BE_LOST: ReadonlySet<string> = new Set(['notifications/progress', 'notifications/message']);

/** Whether a notification may be lost: there may be any number of them, and nothing depends on one. */
export function mayBeLost({ method }: { readonly method: string }): boolean {
  return MAY_BE_LOST.has(method);
}

/** Turns a message into a server-sent event. */
export function toEvent(message: unknown): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}

/** Opens a stream; calls `onGone` once when the client ends it. */
export function openEventStream(onGone: () => void): EventStream {
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  const stop = () => {
    controller = null;
    clearInterval(beat);
  };
  const gone = () => {
    if (controller === null) return;
    stop();
    onGone();
  };
  const readable = new ReadableStream<Uint8Array>(
    {
      start: (started) => {
        controller = started;
      },
      cancel: gone,
    },
    {
      highWaterMark: MOST_WAITING,
      size: ({ byteLength }) => 1 + Math.floor(byteLength / BYTES_OF_ONE),
    },
  );
  const room = () => controller?.desiredSize ?? 0;
  const send = (text: string) => {
    if (controller === null) return;
    if (room() > 0) return controller.enqueue(encoder.encode(text));
    const full = controller;
    gone();
    full.close();
  };
  const beat = setInterval(() => send(': still here\n\n'), KEEP_ALIVE_MS);
  return {
    readable,
    write: (message) => send(toEvent(message)),
    offer: (message) => {
      if (room() > RESERVED) send(toEvent(message));
    },
    close: () => {
      const open = controller;
      stop();
      open?.close();
    },
  };
}
