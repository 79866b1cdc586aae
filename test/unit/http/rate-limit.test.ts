import { describe, expect, it } from 'vitest';
import { createThrottle } from '../../../src/http/rate-limit.ts';

/** A throttle under a clock that stands still, and what it says to a client. */
function held(limit: { requestsPerMinute: number; burst: number }, remembered?: number) {
  const clock = { time: 1_000 };
  const throttle = createThrottle(limit, () => clock.time, remembered);
  const ask = (client = 'one') => {
    try {
      throttle.count(client);
      return 'ok';
    } catch (error) {
      return error;
    }
  };
  const taken = (client?: string) => {
    let count = 0;
    while (ask(client) === 'ok') count += 1;
    return count;
  };
  return { clock, ask, taken };
}

describe('a throttle', () => {
  it('lets a burst through, then says how many seconds to wait', () => {
    const { ask, taken } = held({ requestsPerMinute: 20, burst: 3 });
    expect(taken()).toBe(3);
    expect(ask()).toMatchObject({
      code: 'rate_limited',
      message: 'Too many requests; try again in 3 s.',
      detail: { retry_after: 3 },
    });
  });

  it('gives back at the rate, never more than the burst', () => {
    const { clock, taken } = held({ requestsPerMinute: 60, burst: 5 });
    expect(taken()).toBe(5);
    clock.time += 2_000;
    expect(taken()).toBe(2);
    clock.time += 999;
    expect(taken()).toBe(0);
    clock.time += 1;
    expect(taken()).toBe(1);
    clock.time += 3_600_000;
    expect(taken()).toBe(5);
  });

  it('keeps to the rate whatever the pace', () => {
    const { clock, ask } = held({ requestsPerMinute: 600, burst: 10 });
    let passed = 0;
    for (const end = clock.time + 60_000; clock.time < end; clock.time += 7) {
      if (ask() === 'ok') passed += 1;
    }
    expect(passed).toBeGreaterThanOrEqual(608);
    expect(passed).toBeLessThanOrEqual(610);
  });

  it('does not punish what it refused', () => {
    const { clock, ask, taken } = held({ requestsPerMinute: 60, burst: 1 });
    expect(taken()).toBe(1);
    for (let again = 0; again < 1_000; again += 1) ask();
    clock.time += 1_000;
    expect(ask()).toBe('ok');
  });

  it('holds each client to its own', () => {
    const { taken } = held({ requestsPerMinute: 60, burst: 2 });
    expect([taken('one'), taken('two'), taken('one')]).toEqual([2, 2, 0]);
  });

  it('lets nobody wait longer than a bucket takes, when the clock is set back', () => {
    const { clock, ask, taken } = held({ requestsPerMinute: 60, burst: 2 });
    taken();
    clock.time -= 3_600_000;
    expect(ask()).toMatchObject({ detail: { retry_after: 1 } });
    clock.time += 1_000;
    expect(ask()).toBe('ok');
  });

  it('remembers those who keep asking, however many others there are', () => {
    const { ask, taken } = held({ requestsPerMinute: 1, burst: 1 }, 100);
    expect(taken('busy')).toBe(1);
    for (let other = 0; other < 1_000; other += 1) {
      expect(ask(`other ${other}`)).toBe('ok');
      if (other % 50 === 0) expect(ask('busy')).not.toBe('ok');
    }
    expect(ask('busy')).not.toBe('ok');
  });

  it('does not grow with the number of clients', () => {
    const throttle = createThrottle({ requestsPerMinute: 60, burst: 1 }, () => 0, 1_000);
    for (let client = 0; client < 3_000; client += 1) throttle.count(`address ${client}`);
    // Forgotten since: it would be refused otherwise.
    expect(() => throttle.count('address 0')).not.toThrow();
    expect(() => throttle.count('address 2999')).toThrow('Too many requests');
  });
});

it.each([1, 2, 7])('a burst of %i is let through at every fraction of a millisecond', (burst) => {
  for (let step = 0; step < 2_000; step += 1) {
    const throttle = createThrottle({ requestsPerMinute: 7, burst }, () => step * 37.0371 + 0.1);
    for (let call = 0; call < burst; call += 1) throttle.count('a client');
    expect(() => throttle.count('a client')).toThrow('Too many requests');
  }
});
