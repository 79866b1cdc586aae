import { expect } from 'vitest';

/** An expectation that comes true in its own time, also on a busy machine. */
export const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 50_000, interval: 5 });
