import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SvcError } from '../../../src/errors.ts';
import { Neighbours } from '../../../src/sql/neighbours.ts';

/** Longer than any test. */
const LONG_MS = 600_000;

const full = () => new SvcError('memory_exceeded', 'The query needs more memory.');
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A statement whose attempts end when the test says so. */
function createStatement() {
  const attempts: PromiseWithResolvers<string>[] = [];
  const attempt = () => {
    const attempt = Promise.withResolvers<string>();
    attempts.push(attempt);
    return attempt.promise;
  };
  return {
    attempt,
    count: () => attempts.length,
    answer: (text: string) => {
      attempts.at(-1)?.resolve(text);
      return settled();
    },
    fail: (error: Error) => {
      attempts.at(-1)?.reject(error);
      return settled();
    },
  };
}

const statements = (count: number) => Array.from({ length: count }, createStatement);

/** The number of attempts of each statement so far. */
const counts = (...all: readonly ReturnType<typeof createStatement>[]) => all.map(({ count }) => count());

/** Timers run when the returned function lets time pass. */
function fakeTime() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  return (ms: number) => {
    vi.advanceTimersByTime(ms);
    return settled();
  };
}

// Requirements: own.neighbours
describe('a statement that runs out of memory', () => {
  it.each([0, LONG_MS])('beside another one runs once more when that has ended (%i ms)', async (holdMs) => {
    const neighbours = new Neighbours({ holdMs });
    const [large, small] = [createStatement(), createStatement()];
    const [first, second] = [neighbours.run(large.attempt), neighbours.run(small.attempt)];
    await small.fail(full());
    expect(small.count()).toBe(1);
    await large.answer('large');
    expect(small.count()).toBe(2);
    await small.answer('small');
    expect(await Promise.all([first, second])).toEqual(['large', 'small']);
  });

  it('waits to be alone up to a time, and is tried again until it was', async () => {
    const pass = fakeTime();
    const neighbours = new Neighbours({ patienceMs: 1_000 });
    const [endless, small, late] = [createStatement(), createStatement(), createStatement()];
    const running = neighbours.run(endless.attempt);
    const answer = neighbours.run(small.attempt);
    const failing = neighbours.run(late.attempt).catch(({ code }) => code);
    await small.fail(full());
    await pass(999);
    expect(small.count()).toBe(1);
    await pass(1);
    expect(small.count()).toBe(2);
    await small.fail(full());
    await pass(1_999);
    expect(small.count()).toBe(2);
    await pass(1);
    expect(small.count()).toBe(3);
    await small.answer('small');
    expect([await answer, endless.count()]).toEqual(['small', 1]);
    await late.fail(full());
    await endless.answer('endless');
    await late.fail(full());
    expect([await running, await failing, late.count()]).toEqual(['endless', 'memory_exceeded', 2]);
  });

  it('does not keep another one waiting while it waits to be alone', async () => {
    const pass = fakeTime();
    const neighbours = new Neighbours({ patienceMs: 1_000 });
    const [endless, greedy, small] = [createStatement(), createStatement(), createStatement()];
    const running = neighbours.run(endless.attempt);
    const failing = neighbours.run(greedy.attempt).catch(({ code }) => code);
    await greedy.fail(full());
    await pass(1_000);
    await greedy.fail(full());
    // Its third attempt comes in two seconds.
    const answer = neighbours.run(small.attempt);
    await small.fail(full());
    await pass(1_000);
    expect(counts(greedy, small)).toEqual([2, 2]);
    await small.answer('small');
    await endless.answer('endless');
    expect(greedy.count()).toBe(3);
    await greedy.fail(full());
    expect([await running, await answer, await failing]).toEqual(['endless', 'small', 'memory_exceeded']);
  });

  it('does not wait for one that gave up its place and never came back', async () => {
    const neighbours = new Neighbours({ holdMs: LONG_MS });
    const [lost, queued, small, late] = [
      createStatement(),
      createStatement(),
      createStatement(),
      createStatement(),
    ];
    const places: (() => void)[] = [];
    const onArrival = (leave: () => void) => void places.push(leave);
    for (const { attempt } of [lost, queued])
      void neighbours.run(attempt, { onArrival, wait: () => new Promise(() => {}) });
    const answer = neighbours.run(small.attempt);
    // It waits to be alone, and never learns that it is.
    await queued.fail(full());
    await small.fail(full());
    const behind = neighbours.run(late.attempt);
    expect(counts(lost, queued, small, late)).toEqual([1, 1, 1, 0]);
    for (const leave of places) leave();
    await settled();
    await late.answer('late');
    await small.answer('small');
    expect([await answer, await behind]).toEqual(['small', 'late']);
    expect(counts(lost, queued, small, late)).toEqual([1, 1, 2, 1]);
  });

  it('fails if it was alone', async () => {
    const neighbours = new Neighbours();
    const lone = createStatement();
    const error = neighbours.run(lone.attempt).catch(({ code }) => code);
    await lone.fail(full());
    expect(await error).toBe('memory_exceeded');
    expect(lone.count()).toBe(1);
  });

  it.each([0, LONG_MS])('fails if it fails again, and such statements take turns (%i ms)', async (holdMs) => {
    const neighbours = new Neighbours({ holdMs });
    const [one, other] = [createStatement(), createStatement()];
    const ends = [neighbours.run(one.attempt), neighbours.run(other.attempt)];
    const codes = ends.map((end) => end.catch(({ code }) => code));
    await one.fail(full());
    await other.fail(full());
    expect(counts(one, other)).toEqual([2, 1]);
    await one.fail(full());
    expect(counts(one, other)).toEqual([2, 2]);
    await other.fail(full());
    expect(await Promise.all(codes)).toEqual(['memory_exceeded', 'memory_exceeded']);
    expect(counts(one, other)).toEqual([2, 2]);
  });

  it('beside one that came and went runs once more', async () => {
    const neighbours = new Neighbours();
    const [early, late] = [createStatement(), createStatement()];
    const answer = neighbours.run(early.attempt);
    const other = neighbours.run(late.attempt);
    await late.answer('late');
    expect(await other).toBe('late');
    await early.fail(full());
    await early.answer('early');
    expect(await answer).toBe('early');
  });

  it('is the only one that is tried again', async () => {
    const neighbours = new Neighbours();
    const [one, other] = [createStatement(), createStatement()];
    const failing = neighbours.run(one.attempt).catch(({ code }) => code);
    const running = neighbours.run(other.attempt);
    await one.fail(new SvcError('sql_failed', 'no such table'));
    expect(await failing).toBe('sql_failed');
    await other.answer('other');
    expect(await running).toBe('other');
    expect(counts(one, other)).toEqual([1, 1]);
  });

  it('is not tried again if it must not be', async () => {
    const neighbours = new Neighbours();
    const [write, other] = [createStatement(), createStatement()];
    const failing = neighbours.run(write.attempt, { mayRepeat: () => false }).catch(({ code }) => code);
    const running = neighbours.run(other.attempt);
    await write.fail(full());
    expect(await failing).toBe('memory_exceeded');
    await other.answer('other');
    expect([await running, write.count()]).toEqual(['other', 1]);
  });
});

// Requirements: large.crowd, own.neighbours
describe('new statements', () => {
  it('are open at the same time up to a number, in the order of their arrival', async () => {
    const neighbours = new Neighbours({ most: 2 });
    const all = statements(4);
    const answers = all.map(({ attempt }) => neighbours.run(attempt));
    await settled();
    expect(counts(...all)).toEqual([1, 1, 0, 0]);
    await all[1]?.answer('second');
    expect(counts(...all)).toEqual([1, 1, 1, 0]);
    for (const { answer } of all.slice(0, 3)) await answer('done');
    await all[3]?.answer('last');
    expect(await Promise.all(answers)).toEqual(['done', 'second', 'done', 'last']);
  });

  it('wait for a statement that runs once more', async () => {
    const neighbours = new Neighbours({ most: 3, holdMs: LONG_MS });
    const [one, other, later] = [createStatement(), createStatement(), createStatement()];
    const answers = [neighbours.run(one.attempt), neighbours.run(other.attempt)];
    await one.fail(full());
    answers.push(neighbours.run(later.attempt));
    await settled();
    // It waits for the other one, and the later one waits for it.
    expect(counts(one, other, later)).toEqual([1, 1, 0]);
    await other.answer('beside');
    expect(counts(one, other, later)).toEqual([2, 1, 0]);
    await one.answer('alone');
    await later.answer('after');
    expect(await Promise.all(answers)).toEqual(['alone', 'beside', 'after']);
  });

  it('do not wait if nobody is to be held', async () => {
    const neighbours = new Neighbours();
    const [one, other, later] = [createStatement(), createStatement(), createStatement()];
    const answers = [neighbours.run(one.attempt), neighbours.run(other.attempt)];
    await one.fail(full());
    answers.push(neighbours.run(later.attempt));
    expect(counts(one, other, later)).toEqual([1, 1, 1]);
    await other.answer('beside');
    // It does not wait for one that came later.
    expect(counts(one, other, later)).toEqual([2, 1, 1]);
    await one.answer('again');
    await later.answer('later');
    expect(await Promise.all(answers)).toEqual(['again', 'beside', 'later']);
  });

  it('go before the next statement that runs once more', async () => {
    const neighbours = new Neighbours({ most: 2, holdMs: LONG_MS });
    const [hungry, hungrier, small] = [createStatement(), createStatement(), createStatement()];
    const answers = [neighbours.run(hungry.attempt), neighbours.run(hungrier.attempt)];
    await hungry.fail(full());
    await hungrier.fail(full());
    answers.push(neighbours.run(small.attempt));
    await settled();
    expect(counts(hungry, hungrier, small)).toEqual([2, 1, 0]);
    await hungry.answer('first');
    expect(counts(hungry, hungrier, small)).toEqual([2, 1, 1]);
    await small.answer('small');
    expect(counts(hungry, hungrier, small)).toEqual([2, 2, 1]);
    await hungrier.answer('second');
    expect(await Promise.all(answers)).toEqual(['first', 'second', 'small']);
  });

  it('do not wait longer than they are held, however often others repeat theirs', async () => {
    const neighbours = new Neighbours({ holdMs: 1 });
    const greedy = statements(3);
    const codes = greedy.map(({ attempt }) => neighbours.run(attempt).catch(({ code }) => code));
    for (const { fail } of greedy) await fail(full());
    // One runs again without an end, and two wait for it.
    expect(counts(...greedy)).toEqual([2, 1, 1]);
    const small = createStatement();
    const answer = neighbours.run(small.attempt);
    await expect.poll(small.count).toBe(1);
    await small.answer('small');
    expect(await answer).toBe('small');
    for (const { fail } of greedy) await fail(full());
    expect(await Promise.all(codes)).toEqual(Array(3).fill('memory_exceeded'));
  });

  it('wait for no statement that has ended', async () => {
    const neighbours = new Neighbours({ holdMs: LONG_MS });
    const [one, other, next] = [createStatement(), createStatement(), createStatement()];
    const failing = neighbours.run(one.attempt).catch(({ code }) => code);
    const running = neighbours.run(other.attempt);
    await one.fail(full());
    await other.answer('other');
    await one.fail(full());
    expect(await Promise.all([failing, running])).toEqual(['memory_exceeded', 'other']);
    const answer = neighbours.run(next.attempt);
    await next.answer('next');
    expect(await answer).toBe('next');
  });
});

// Requirements: large.ended, own.neighbours
describe('a statement that ends while it waits', () => {
  it.each(['for a place', 'to run once more'])('%s lets others pass', async (reason) => {
    const neighbours = new Neighbours({ most: 2, holdMs: LONG_MS });
    const [open, fill] = [createStatement(), createStatement()];
    const [waiting, next] = [createStatement(), createStatement()];
    const ended = Promise.withResolvers<never>();
    const wait = (entered: Promise<void>) => Promise.race([entered, ended.promise]);
    const running = neighbours.run(open.attempt);
    const filling = reason === 'for a place' ? neighbours.run(fill.attempt) : null;
    const left = neighbours.run(waiting.attempt, { wait });
    await waiting.fail(full());
    const answer = neighbours.run(next.attempt);
    await settled();
    expect(next.count()).toBe(0);
    ended.reject(new Error('the caller left'));
    await expect(left).rejects.toThrow('the caller left');
    await fill.answer('fill');
    await filling;
    await next.answer('next');
    expect(await answer).toBe('next');
    await open.answer('open');
    expect(await running).toBe('open');
  });
});
