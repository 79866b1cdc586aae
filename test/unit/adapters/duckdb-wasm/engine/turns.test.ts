import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Turns, Watchdog } from '../../../../../adapters/duckdb-wasm/engine/turns.ts';
import { EngineReplaced } from '../../../../../adapters/duckdb-wasm/errors.ts';

const NEVER = new Promise<never>(() => {});

describe('turns in an engine', () => {
  it('go to the calls in the order of their arrival', async () => {
    const turns = new Turns(new Watchdog());
    const order: number[] = [];
    await turns.take(NEVER);
    const others = [1, 2, 3].map(async (call) => {
      await turns.take(NEVER);
      order.push(call);
      turns.release();
    });
    expect(order).toEqual([]);
    turns.release();
    await Promise.all(others);
    expect(order).toEqual([1, 2, 3]);
  });

  it('pass over a call that has ended', async () => {
    const turns = new Turns(new Watchdog());
    await turns.take(NEVER);
    const ending = Promise.withResolvers<never>();
    const ended = turns.take(ending.promise);
    const next = turns.take(NEVER);
    ending.reject(new Error('the caller left'));
    await expect(ended).rejects.toThrow('the caller left');
    turns.release();
    await next;
  });

  // Requirements: large.dropped
  it('end with the engine if the call that has one makes no progress', async () => {
    const turns = new Turns(new Watchdog(30));
    await turns.take(NEVER);
    await expect(turns.take(NEVER)).rejects.toThrow(EngineReplaced);
  });

  it('are waited for as long as there is progress', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const watchdog = new Watchdog(1000);
    const turns = new Turns(watchdog);
    await turns.take(NEVER);
    const next = turns.take(NEVER);
    for (let step = 0; step < 5; step += 1) {
      await vi.advanceTimersByTimeAsync(900);
      watchdog.progress();
    }
    turns.release();
    await next;
  });
});
