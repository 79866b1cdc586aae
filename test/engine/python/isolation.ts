import { expect, it } from 'vitest';
import type { SvcError } from '../../../src/errors.ts';
import type { JsonValue } from '../../../src/json.ts';
import {
  createHost,
  failureOf,
  type Implementation,
  type Opened,
  type OpenOptions,
  openSubject,
} from './subject.ts';

/** No call harms another, however it ends. */
export function describeIsolation(implementation: Implementation, opened: () => Opened): void {
  const { threads, processes, artefact } = implementation;
  /** Work for which everything is new; an artefact has one interpreter in any case, and takes long to start. */
  const anew = async (options: Partial<OpenOptions>, work: (subject: Opened) => Promise<void>) => {
    if (artefact) return work(opened());
    const subject = await openSubject(implementation, options);
    return work(subject).finally(() => subject.python.close());
  };

  it('an interpreter that dies is an error of its call, and is replaced', async () => {
    const { call, value } = opened();
    const error = await failureOf(call('dies'));
    expect(error.code).toBe('python_failed');
    expect(error.message).toMatch(
      processes
        ? /^The Python process ended with exit code 3 in the middle of the call\.$/
        : /^The Python (interpreter ended|Worker failed) in the middle of the call\.$/,
    );
    const early = await failureOf(call('x', {}, { file: 'tools/dies_early.py' }));
    expect(early.message).toMatch(processes ? /exit code 4/ : /in the middle of the call/);
    expect(await value('hello')).toBe('hello you');
  });

  it.each([
    ['an endless loop', 'loops', {}],
    ['one that sleeps', 'sleeps', { seconds: 60 }],
    ['one that waits asynchronously', 'naps', { seconds: 60 }],
  ])('%s ends at its deadline, and no other call waits for it', async (_what, name, args) => {
    const { call, value } = opened();
    const late = failureOf(call(name, args, { timeoutMs: 700 }));
    expect(await value('hello')).toBe('hello you');
    const error = await late;
    expect([error.code, error.message]).toEqual([
      'deadline_exceeded',
      `The function ${name} took longer than 700 ms.`,
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
    await anew({ size: 1 }, async ({ call }) => {
      const [asked, rows] = [Promise.withResolvers<void>(), Promise.withResolvers<readonly []>()];
      const host = createHost(() => {
        asked.resolve();
        return rows.promise;
      });
      const first = call('query', { sql: 'SELECT 1' }, { host });
      await asked.promise;
      expect((await failureOf(call('hello', {}, { timeoutMs: 100 }))).code).toBe('busy');
      const all = Array.from({ length: 65 }, () => call('hello'));
      await Promise.race(all.map((one) => failureOf(one.then(() => new Promise(() => {})))));
      rows.resolve([]);
      await first;
      const settled = await Promise.allSettled(all);
      const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
      expect(refused).toEqual(['busy']);
    });
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
    await anew({ size: 1 }, async ({ call, value }) => {
      await call('leaves_a_task');
      expect(await value('the_task')).toBe(true);
    });
  });

  it.runIf(processes)('a process that was forked speaks for nobody', async () => {
    expect(await opened().value('forks')).toBe('the parent');
    expect(await opened().value('hello')).toBe('hello you');
  });

  it('mixed calls with crashes and endless loops: every good one is right', async () => {
    const many = Number(process.env.SVC_TEST_PYTHON_CALLS ?? (artefact ? 200 : 600));
    await anew({}, ({ call, value }) => everyGood(many, call, value));
  }, 600_000);
}

async function everyGood(many: number, call: Opened['call'], value: Opened['value']): Promise<void> {
  const one = async (n: number): Promise<string> => {
    if (n % 100 === 50) {
      return (await failureOf(call('dies'))).code === 'python_failed' ? 'ok' : `call ${n} did not crash`;
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
}
