/** Yields to messages, timers and sockets, without the millisecond that a timer waits. */
export function nextImmediate(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
