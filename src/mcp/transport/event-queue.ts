/** The events that wait for one client, in their order. */
export interface EventQueue {
  readonly readable: ReadableStream<Uint8Array>;
  /** The number of events that wait; a large one counts more than once. */
  readonly weight: number;
  /** Adds an event. Returns its weight. */
  add(event: Uint8Array): number;
  /** Ends the stream after what waits. */
  close(): void;
}

/** An event counts once more for so many bytes. Without that, a client that does not read could have us keep 4 GiB. */
const BYTES_OF_ONE = 64 * 1024;

/** The bytes that wait for all clients together. Beyond them, the client for which most wait counts as gone. */
const MOST_BYTES = 256 * 1024 * 1024;

function weigh({ byteLength }: Uint8Array): number {
  return 1 + Math.floor(byteLength / BYTES_OF_ONE);
}

interface Waiting {
  bytes: number;
  drop(): void;
}

/** The queues in which something waits. */
const queues = new Set<Waiting>();
let waitingBytes = 0;

function grow(queue: Waiting, bytes: number): void {
  queue.bytes += bytes;
  waitingBytes += bytes;
  if (queue.bytes > 0) queues.add(queue);
  else queues.delete(queue);
}

/** Drops the queue with the most, if all have too much. */
function enforceMost(): void {
  if (waitingBytes <= MOST_BYTES) return;
  const [first, ...others] = queues;
  others.reduce((most, one) => (one.bytes > (most?.bytes ?? 0) ? one : most), first)?.drop();
}

/** Creates a queue. `onGone` is called when its client leaves, or counts as gone. */
export function createEventQueue(onGone: () => void): EventQueue {
  let events: Uint8Array[] = [];
  let weight = 0;
  /** Whether the client has read everything and waits for more. */
  let hungry = false;
  let state: 'open' | 'ending' | 'over' = 'open';
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  const forget = () => {
    state = 'over';
    events = [];
    weight = 0;
    grow(own, -own.bytes);
  };
  const own: Waiting = {
    bytes: 0,
    drop: () => {
      forget();
      controller?.close();
      onGone();
    },
  };
  const take = () => {
    const event = events.shift();
    if (event === undefined) {
      hungry = true;
    } else {
      weight -= weigh(event);
      grow(own, -event.byteLength);
      controller?.enqueue(event);
    }
    if (state === 'ending' && events.length === 0) controller?.close();
  };
  const readable = new ReadableStream<Uint8Array>(
    {
      start: (started) => {
        controller = started;
      },
      pull: take,
      cancel: () => {
        forget();
        onGone();
      },
    },
    { highWaterMark: 0 },
  );
  return {
    readable,
    get weight() {
      return weight;
    },
    add: (event) => {
      const added = weigh(event);
      if (state !== 'open') return added;
      if (hungry) {
        hungry = false;
        controller?.enqueue(event);
        return added;
      }
      events.push(event);
      weight += added;
      grow(own, event.byteLength);
      enforceMost();
      return added;
    },
    close: () => {
      if (state !== 'open') return;
      state = 'ending';
      if (events.length === 0) controller?.close();
    },
  };
}
