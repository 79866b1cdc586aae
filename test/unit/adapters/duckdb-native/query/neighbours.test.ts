import { describe, expect, it } from 'vitest';
import { Neighbours } from '../../../../../adapters/duckdb-native/query/neighbours.ts';
import { SvcError } from '../../../../../src/errors.ts';

const full = () => new SvcError('memory_exceeded', 'The query needs more memory.');

/** A read whose attempts end when the test says so. */
function createRead() {
  const attempts: PromiseWithResolvers<string>[] = [];
  const attempt = () => {
    const attempt = Promise.withResolvers<string>();
    attempts.push(attempt);
    return attempt.promise;
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));
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

// Requirements: own.neighbours
describe('a read that runs out of memory', () => {
  it('beside another one runs once more when that has ended', async () => {
    const neighbours = new Neighbours();
    const [large, small] = [createRead(), createRead()];
    const [first, second] = [neighbours.run(large.attempt), neighbours.run(small.attempt)];
    await small.fail(full());
    expect(small.count()).toBe(1);
    await large.answer('large');
    expect(small.count()).toBe(2);
    await small.answer('small');
    expect(await Promise.all([first, second])).toEqual(['large', 'small']);
  });

  it('fails if it was alone, or fails again', async () => {
    const neighbours = new Neighbours();
    const lone = createRead();
    const error = neighbours.run(lone.attempt).catch(({ code }) => code);
    await lone.fail(full());
    expect(await error).toBe('memory_exceeded');
    expect(lone.count()).toBe(1);
    const [one, other] = [createRead(), createRead()];
    const ends = [neighbours.run(one.attempt), neighbours.run(other.attempt)];
    const codes = ends.map((end) => end.catch(({ code }) => code));
    await one.fail(full());
    await other.fail(full());
    expect([one.count(), other.count()]).toEqual([2, 1]);
    await one.fail(full());
    expect(other.count()).toBe(2);
    await other.fail(full());
    expect(await Promise.all(codes)).toEqual(['memory_exceeded', 'memory_exceeded']);
    expect([one.count(), other.count()]).toEqual([2, 2]);
  });

  it('beside one that came and went runs once more', async () => {
    const neighbours = new Neighbours();
    const [early, late] = [createRead(), createRead()];
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
    const [one, other] = [createRead(), createRead()];
    const failing = neighbours.run(one.attempt).catch(({ code }) => code);
    const running = neighbours.run(other.attempt);
    await one.fail(new SvcError('sql_failed', 'no such table'));
    expect(await failing).toBe('sql_failed');
    await other.answer('other');
    expect(await running).toBe('other');
    expect([one.count(), other.count()]).toEqual([1, 1]);
  });

  it('is not tried again if it must not be', async () => {
    const neighbours = new Neighbours();
    const [write, other] = [createRead(), createRead()];
    const failing = neighbours.run(write.attempt, () => false).catch(({ code }) => code);
    const running = neighbours.run(other.attempt);
    await write.fail(full());
    expect(await failing).toBe('memory_exceeded');
    await other.answer('other');
    expect([await running, write.count()]).toEqual(['other', 1]);
  });
});
