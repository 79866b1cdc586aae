/** Whether a response is a stream of events. */
export function isEventStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') === true;
}

/** How many bytes of a stream wait until its reader asks for them. */
const sizes = new WeakMap<ReadableStream<Uint8Array>, () => number>();

/** Lets others ask for the bytes that wait in a stream. */
export function countWaiting(stream: ReadableStream<Uint8Array>, waiting: () => number): void {
  sizes.set(stream, waiting);
}

/** The bytes that wait in a stream; 0 for one that keeps none. */
export function waitingBytes(stream: ReadableStream<Uint8Array>): number {
  return sizes.get(stream)?.() ?? 0;
}
