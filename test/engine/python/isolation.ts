import { expect, it } from 'vitest';
import type { SvcError } from '../../../src/errors.ts';
import type { JsonValue } from '../../../src/json.ts';
import { createHost, failureOf, type Implementation, type Opened, openSubject } from './subject.ts';

/** No call harms another, however it ends. */
export function describeIsolation(implementation: Implementation, opened: () => Opened): void {
  const { threads, processes } = implementation;

  it.runIf(processes)('a process that dies is an error of its call, and is replaced', async () => {
    const { call, value } = opened();
    const error = await failureOf(call('dies'));
    expect([error.code, error.message]).toEqual([
      'python_failed',
      'The Python process ended with exit code 3 in the middle of the call.',
    ]);
    expect((await failureOf(call('x', {}, { file: 'tools/dies_early.py' }))).message).toContain(
      'exit code 4',
    );
    expect(await value('hello')).toBe('hello you');
  });

  it('an endless loop ends at its deadline, others go on meanwhile', async () => {
    const { call, value } = opened();
    const looping = failureOf(call('loops', {}, { timeoutMs: 700 }));
    expect(await value('hello')).toBe('hello you');
    const error = await looping;
    expect([error.code, error.message]).toEqual([
      'deadline_exceeded',
      'The function loops took longer than the 0.7 s that it may.',
    ]);
    expect(await value('hello')).toBe('hello you');
  });

  it('a call that is cancelled ends', async () => {
    const controller = new AbortController();
    const host = createHost(async () => {
      controller.abort();
      return new Promise<never>(() => {});
    });
    const error = await failureOf(
      opened().call('query', { sql: 'SELECT 1' }, { host, signal: controller.signal }),
    );
    expect(error.code).toBe('cancelled');
    const before = await failureOf(opened().call('hello', {}, { signal: controller.signal }));
    expect(before.code).toBe('cancelled');
    expect(await opened().value('hello')).toBe('hello you');
  });

  it('a statement that outlives its call is answered to nobody', async () => {
    let answer = (_rows: readonly []) => {};
    const host = createHost(() => new Promise((resolve) => (answer = resolve)));
    const work = opened().call('query', { sql: 'SELECT 1' }, { host, timeoutMs: 300 });
    expect((await failureOf(work)).code).toBe('deadline_exceeded');
    answer([]);
    expect(await opened().value('hello')).toBe('hello you');
  });

  it('twenty calls at once, more than there are processes', async () => {
    const { value } = opened();
    const users = Array.from({ length: 20 }, (_, index) => ({ id: `user ${index}` }));
    const all = await Promise.all(
      users.map(async (user, n) => {
        const host = createHost(async () => [{ n }]);
        return [
          await value('who', {}, { user, host }),
          await value('query', { sql: 'SELECT n' }, { user, host }),
        ];
      }),
    );
    expect(all.map(([who, rows]) => [(who as { id: JsonValue }).id, rows])).toEqual(
      users.map(({ id }, n) => [id, [{ n }]]),
    );
  });

  it('calls beyond the queue are refused, and so are those that wait too long', async () => {
    const { call, python } = await openSubject(implementation, { size: 1 });
    try {
      await call('hello');
      const first = call('sleeps', { seconds: 0.6 });
      const late = failureOf(call('hello', {}, { timeoutMs: 100 }));
      const waiting = Array.from({ length: 63 }, () => call('hello'));
      const refused = await failureOf(call('hello'));
      expect([refused.code, (await late).code]).toEqual(['busy', 'busy']);
      expect(await Promise.all([first, ...waiting])).toHaveLength(64);
    } finally {
      await python.close();
    }
  });

  it.runIf(threads)('a thread that outlives its call is nobody in the next one', async () => {
    const { call, value, python } = await openSubject(implementation, { size: 1 });
    try {
      await call('leaves_a_thread', {}, { user: { id: 'ada' } });
      const host = createHost();
      expect(await value('what_was_left', {}, { host, user: { id: 'bob' } })).toEqual(['OutsideCall']);
      expect(host.asked.statements).toEqual([]);
    } finally {
      await python.close();
    }
  });

  it('a task that outlives its call is cancelled', async () => {
    const { call, value, python } = await openSubject(implementation, { size: 1 });
    try {
      await call('leaves_a_task');
      expect(await value('the_task')).toBe(true);
    } finally {
      await python.close();
    }
  });

  it.runIf(processes)('a process that was forked speaks for nobody', async () => {
    expect(await opened().value('forks')).toBe('the parent');
    expect(await opened().value('hello')).toBe('hello you');
  });

  it('mixed calls with crashes and endless loops: every good one is right', async () => {
    const many = Number(process.env.SVC_TEST_PYTHON_CALLS ?? 600);
    const { call, value, python } = await openSubject(implementation);
    const one = async (n: number): Promise<string> => {
      if (n % 100 === 50) {
        const [name, more] = processes ? ['dies', {}] : ['leaves', {}];
        return (await failureOf(call(name, {}, more))).code === 'python_failed'
          ? 'ok'
          : `call ${n} did not crash`;
      }
      if (n % 100 === 75) {
        const { code } = await failureOf(call('loops', {}, { timeoutMs: 300 }));
        return code === 'deadline_exceeded' || code === 'busy' ? 'ok' : `call ${n} was ${code}`;
      }
      const host = createHost(async () => [{ n }]);
      const name = String(n);
      const found =
        n % 3 === 0 ? await value('query', { sql: 'SELECT n' }, { host }) : await value('later', { name });
      const wanted = n % 3 === 0 ? [{ n }] : `later ${n}`;
      return JSON.stringify(found) === JSON.stringify(wanted)
        ? 'ok'
        : `call ${n} gave ${JSON.stringify(found)}`;
    };
    try {
      let next = 0;
      const wrong: string[] = [];
      const caller = async () => {
        while (next < many) {
          const result = await one(next++).catch((thrown: SvcError) => `${thrown.code}: ${thrown.message}`);
          if (result !== 'ok') wrong.push(result);
        }
      };
      await Promise.all(Array.from({ length: 8 }, caller));
      expect(wrong).toEqual([]);
    } finally {
      await python.close();
    }
  }, 600_000);
}
