import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createReloader } from '../../../../../adapters/node/reload/reloader.ts';
import { SvcError } from '../../../../../src/errors.ts';
import type { LogLine } from '../../../../../src/ports.ts';

const AT = Date.UTC(2026, 0, 2);

function create(apply: (signal: AbortSignal) => Promise<void>, boundMs = 60_000) {
  const lines: LogLine[] = [];
  const log = (line: LogLine) => void lines.push(line);
  return { lines, reloader: createReloader({ apply, log, clock: { now: () => AT }, boundMs }) };
}

describe('reloads', () => {
  // Requirements: state.last_reload_status
  it('say nothing before the first one', () => {
    expect(create(async () => {}).reloader.status()).toEqual({
      in_progress: false,
      last_reload: null,
      last_reload_status: null,
      last_reload_error: null,
    });
  });

  // Requirements: state.in_progress
  it('are in progress until they have ended', async () => {
    const { reloader } = create(async () => {});
    const { done } = reloader.request();
    expect(reloader.status().in_progress).toBe(true);
    await done;
    expect(reloader.status()).toEqual({
      in_progress: false,
      last_reload: '2026-01-02T00:00:00.000Z',
      last_reload_status: 'success',
      last_reload_error: null,
    });
  });

  // Requirements: state.last_reload_error, state.last_reload_status
  it('that fail are reported and logged with their id; the next one clears it', async () => {
    let broken = true;
    const { reloader, lines } = create(async () => {
      if (broken) throw new SvcError('reference_unresolved', 'KEY is not set');
    });
    const { id, done } = reloader.request();
    await done;
    expect(reloader.status()).toMatchObject({
      last_reload_status: 'error',
      last_reload_error: 'KEY is not set',
    });
    expect(lines).toMatchObject([{ level: 'error', fields: { reload_request_id: id } }]);
    broken = false;
    await reloader.request().done;
    expect(reloader.status()).toMatchObject({ last_reload_status: 'success', last_reload_error: null });
  });

  // Requirements: transition.reload
  it('come one after the other', async () => {
    const order: string[] = [];
    const { reloader } = create(async () => {
      order.push('begin');
      await new Promise((resolve) => setImmediate(resolve));
      order.push('end');
    });
    await Promise.all([reloader.request().done, reloader.request().done]);
    expect(order).toEqual(['begin', 'end', 'begin', 'end']);
  });

  // Requirements: limit.reload, transition.bound
  it('count as failed when they take too long', async () => {
    const { reloader } = create(() => new Promise(() => {}), 10);
    await reloader.request().done;
    expect(reloader.status()).toMatchObject({
      last_reload_status: 'error',
      last_reload_error: 'It took over 0.01 s.',
    });
  });

  // Requirements: limit.reload, transition.bound
  it('may take 60 seconds', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const options = { log: () => {}, clock: { now: () => AT }, apply: () => new Promise<void>(() => {}) };
    const reloader = createReloader(options);
    const { done } = reloader.request();
    await vi.advanceTimersByTimeAsync(59_999);
    expect(reloader.status().in_progress).toBe(true);
    await vi.advanceTimersByTimeAsync(1);
    await done;
    expect(reloader.status()).toMatchObject({ in_progress: false, last_reload_error: 'It took over 60 s.' });
  });

  it('that took too long are told so, and have ended before the next one begins', async () => {
    const order: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const { reloader } = create(async (signal) => {
      order.push('begin');
      if (order.length === 1) await promise;
      order.push(signal.aborted ? 'given up' : 'end');
    }, 10);
    await reloader.request().done;
    await reloader.request().done;
    expect(order).toEqual(['begin']);
    expect(reloader.status()).toMatchObject({ last_reload_error: 'It took over 0.01 s.' });
    resolve();
    await reloader.request().done;
    expect(order).toEqual(['begin', 'given up', 'begin', 'end']);
    expect(reloader.status()).toMatchObject({ last_reload_status: 'success' });
  });
});
