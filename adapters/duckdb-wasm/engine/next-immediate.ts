/** Lets messages, timers and sockets in between two slices, without the millisecond that a timer waits. */
export function nextImmediate(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
