import { countWaiting } from '../../streams.ts';

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

function weigh({ byteLength }: Uint8Array): number {
  return 1 + Math.floor(byteLength / BYTES_OF_ONE);
}

/** Creates a queue. `onGone` is called when its client leaves. */
export function createEventQueue(onGone: () => void): EventQueue {
  let events: Uint8Array[] = [];
  let [weight, bytes] = [0, 0];
  /** Whether the client has read everything and waits for more. */
  let hungry = false;
  let state: 'open' | 'ending' | 'over' = 'open';
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  const take = () => {
    const event = events.shift();
    if (event === undefined) {
      hungry = true;
    } else {
      weight -= weigh(event);
      bytes -= event.byteLength;
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
        state = 'over';
        events = [];
        [weight, bytes] = [0, 0];
        onGone();
      },
    },
    { highWaterMark: 0 },
  );
  countWaiting(readable, () => bytes);
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
      bytes += event.byteLength;
      return added;
    },
    close: () => {
      if (state !== 'open') return;
      state = 'ending';
      if (events.length === 0) controller?.close();
    },
  };
}
