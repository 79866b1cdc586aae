import { describe, expect, it } from 'vitest';
import { Admission } from '../../../../../adapters/duckdb-wasm/engine/admission.ts';
import { Watchdog } from '../../../../../adapters/duckdb-wasm/engine/watchdog.ts';
import { EngineReplaced } from '../../../../../adapters/duckdb-wasm/errors.ts';
import { SvcError } from '../../../../../src/errors.ts';

const NEVER = new Promise<never>(() => {});
const full = () => new SvcError('memory_exceeded', 'no memory');
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A statement that a test ends: each attempt waits to be told how. */
function statement() {
  const attempts: PromiseWithResolvers<string>[] = [];
  const attempt = (): Promise<string> => {
    const next = Promise.withResolvers<string>();
    attempts.push(next);
    return next.promise;
  };
  return { attempt, attempts };
}

// Requirements: large.crowd
describe('statements that share the memory of an engine', () => {
  it('are open at the same time up to a number, in the order of their arrival', async () => {
    const admission = new Admission(2, new Watchdog());
    const statements = Array.from({ length: 4 }, statement);
    const answers = statements.map(({ attempt }) => admission.run(attempt, NEVER));
    const open = () => statements.map(({ attempts }) => attempts.length);
    await settled();
    expect(open()).toEqual([1, 1, 0, 0]);
    statements[1]?.attempts[0]?.resolve('second');
    await settled();
    expect(open()).toEqual([1, 1, 1, 0]);
    for (const { attempts } of statements.slice(0, 3)) attempts[0]?.resolve('done');
    await settled();
    statements[3]?.attempts[0]?.resolve('last');
    expect(await Promise.all(answers)).toEqual(['done', 'second', 'done', 'last']);
  });

  it('run once more without others if they ran out of memory beside them', async () => {
    const admission = new Admission(3, new Watchdog());
    const [one, other, later] = [statement(), statement(), statement()];
    const answer = admission.run(one.attempt, NEVER);
    const beside = admission.run(other.attempt, NEVER);
    await settled();
    one.attempts[0]?.reject(full());
    await settled();
    const after = admission.run(later.attempt, NEVER);
    await settled();
    // It waits for the other one, and the later one waits for it.
    expect([one, other, later].map(({ attempts }) => attempts.length)).toEqual([1, 1, 0]);
    other.attempts[0]?.resolve('beside');
    await settled();
    expect([one, other, later].map(({ attempts }) => attempts.length)).toEqual([2, 1, 0]);
    one.attempts[1]?.resolve('alone');
    await settled();
    later.attempts[0]?.resolve('after');
    expect(await Promise.all([answer, beside, after])).toEqual(['alone', 'beside', 'after']);
  });

  it('fail if they run out of memory without others', async () => {
    const admission = new Admission(3, new Watchdog());
    const [one, other] = [statement(), statement()];
    const lone = admission.run(one.attempt, NEVER);
    await settled();
    one.attempts[0]?.reject(full());
    await expect(lone).rejects.toMatchObject({ code: 'memory_exceeded' });
    const crowded = admission.run(one.attempt, NEVER);
    const gone = admission.run(other.attempt, NEVER);
    await settled();
    other.attempts[0]?.resolve('gone');
    await gone;
    // The other one has ended, but it was there.
    one.attempts[1]?.reject(full());
    await settled();
    one.attempts[2]?.reject(full());
    await expect(crowded).rejects.toMatchObject({ code: 'memory_exceeded' });
    expect(one.attempts).toHaveLength(3);
  });

  it('fail at once for any other reason', async () => {
    const admission = new Admission(3, new Watchdog());
    const [one, other] = [statement(), statement()];
    const failing = admission.run(one.attempt, NEVER);
    const beside = admission.run(other.attempt, NEVER);
    await settled();
    one.attempts[0]?.reject(new SvcError('sql_failed', 'no such table'));
    await expect(failing).rejects.toMatchObject({ code: 'sql_failed' });
    other.attempts[0]?.resolve('beside');
    expect(await beside).toBe('beside');
    expect(one.attempts).toHaveLength(1);
  });

  it('that come during a lone one go before the next lone one', async () => {
    const admission = new Admission(2, new Watchdog());
    const hungry = [statement(), statement()];
    const answers = hungry.map(({ attempt }) => admission.run(attempt, NEVER));
    await settled();
    for (const { attempts } of hungry) attempts[0]?.reject(full());
    await settled();
    const small = statement();
    const answer = admission.run(small.attempt, NEVER);
    await settled();
    const open = () => [...hungry, small].map(({ attempts }) => attempts.length);
    expect(open()).toEqual([2, 1, 0]);
    hungry[0]?.attempts[1]?.resolve('first');
    await settled();
    expect(open()).toEqual([2, 1, 1]);
    small.attempts[0]?.resolve('small');
    await settled();
    hungry[1]?.attempts[1]?.resolve('second');
    expect(await Promise.all([...answers, answer])).toEqual(['first', 'second', 'small']);
  });

  // Requirements: large.ended
  it.each([1, 2])('end while they wait, and let others pass: %i of 2 places', async (places) => {
    const admission = new Admission(2, new Watchdog());
    const open = statement();
    const running = admission.run(open.attempt, NEVER);
    const leaving = Promise.withResolvers<never>();
    const waiting = statement();
    const fill = statement();
    const filling = places === 1 ? admission.run(fill.attempt, NEVER) : null;
    const left = admission.run(waiting.attempt, leaving.promise);
    await settled();
    // With a free place it becomes a lone one, which waits too.
    waiting.attempts[0]?.reject(full());
    await settled();
    const next = statement();
    const answer = admission.run(next.attempt, NEVER);
    leaving.reject(new Error('the caller left'));
    await expect(left).rejects.toThrow('the caller left');
    fill.attempts[0]?.resolve('fill');
    await filling;
    await settled();
    next.attempts[0]?.resolve('next');
    expect(await answer).toBe('next');
    open.attempts[0]?.resolve('open');
    expect(await running).toBe('open');
  });

  // Requirements: large.dropped
  it('end with the engine if nothing goes on in it', async () => {
    const admission = new Admission(1, new Watchdog(30));
    const dropped = statement();
    admission.run(dropped.attempt, NEVER);
    await expect(admission.run(statement().attempt, NEVER)).rejects.toThrow(EngineReplaced);
  });
});
