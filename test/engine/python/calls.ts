import { expect, it } from 'vitest';
import { SvcError } from '../../../src/errors.ts';
import type { Implementation, Opened } from './subject.ts';
import { createHost, failureOf } from './subject.ts';

/** What functions may do, and what is for them to see. */
export function describeCalls({ threads, processes }: Implementation, opened: () => Opened): void {
  // Requirements: endpoint.python
  it('functions are called by name, with and without arguments, synchronous or not', async () => {
    const { value } = opened();
    expect(await value('hello')).toBe('hello you');
    expect(await value('hello', { name: 'Ada' })).toBe('hello Ada');
    expect(await value('later', { name: 'Ada' })).toBe('later Ada');
    expect(await value('gathered')).toEqual([0, 1, 2, 3, 4]);
    expect(await value('beside', {}, { file: 'tools/beside.py' })).toEqual(['hello you', true]);
  });

  it('modules of the folder are found, once each, and take no name of the standard library', async () => {
    const { value } = opened();
    expect(await value('area', {}, { file: 'python/shapes/area.py' })).toEqual([16, 1]);
    expect(await value('dumped', {}, { file: 'python/json.py' })).toEqual(['[1]', true]);
  });

  it('@on_init ran once, before the first call, as nobody', async () => {
    const { value } = opened();
    await value('hello', {}, { user: { id: 'ada' } });
    const started = (await value('started')) as readonly unknown[];
    expect(started).toEqual([[expect.any(Number), null, false], 'async']);
  });

  // Requirements: endpoint.python
  it('statements run through the host, and fail as exceptions with the public text', async () => {
    const { value, call } = opened();
    const host = createHost(async (sql) => {
      if (sql === 'FAIL') throw new SvcError('sql_failed', 'secret words of the engine');
      return [{ n: 1 }];
    });
    expect(await value('query', { sql: 'SELECT 1' }, { host })).toEqual([{ n: 1 }]);
    const failed = { text: 'The query of this endpoint failed.', code: 'sql_failed' };
    expect(await value('query_failing', {}, { host })).toEqual(failed);
    const error = await failureOf(call('query_failing_badly', {}, { host }));
    expect([error.code, error.message]).toEqual(['sql_failed', 'secret words of the engine']);
    expect((error.cause as Error).message).toContain('calls.py", line');
  });

  it.runIf(threads)('threads of a call ask in its name', async () => {
    const { value } = opened();
    expect(await value('queries_at_once')).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(await value('who_in_thread', {}, { user: { id: 'ada' } })).toEqual(['ada', 'ada', 'ada']);
    expect(await value('who_in_thread', {}, { user: { id: 'bob' } })).toEqual(['bob', 'bob', 'bob']);
  });

  it.runIf(!threads)(
    'a thread is an exception of its call, and what asyncio gives to one runs at once',
    async () => {
      const { call, value } = opened();
      expect((await failureOf(call('who_in_thread'))).message).toMatch(
        /RuntimeError: can't start new thread$/,
      );
      expect(await value('aside', { name: 'Ada' })).toBe('hello Ada');
    },
  );

  it('the caller is known, and nobody is nobody', async () => {
    const { value } = opened();
    const user = { id: 'ada', external_token: 'tok', groups: ['g'] };
    expect(await value('who', {}, { user })).toEqual({ id: 'ada', token: 'tok', groups: ['g'], known: true });
    expect(await value('who')).toEqual({ id: null, token: null, groups: null, known: false });
  });

  // Requirements: secret.get_secret
  it('secrets and settings come from the host', async () => {
    const { value } = opened();
    expect(await value('secret', { name: 'rates' })).toEqual({
      key: 's3cret',
      host: 'rates.example',
      nested: { a: 1 },
    });
    expect(await value('secret', { name: 'other' })).toBe(null);
    expect(await value('settings')).toEqual([true, 7, 'tested', { models: {} }]);
    expect(await value('changes_settings')).toEqual([true, 7, 'tested', { models: {} }]);
  });

  it('a secret that was given is in no error and in no line', async () => {
    const { call, printed } = opened();
    const error = await failureOf(call('leaks'));
    expect(error.message).toMatch(/RuntimeError: https:\/\/example\.com\/\?key=\[REDACTED\]$/);
    expect((error.cause as Error).message).not.toContain('s3cret');
    await expect.poll(printed, { timeout: 15_000 }).toContain('the key of rates.example is [REDACTED]');
    expect(printed()).not.toContain('s3cret');
  });

  it('no part of a secret or of a sensitive argument is in an error whose text is cut', async () => {
    const { call } = opened();
    const given = await failureOf(call('leaks_late', { before: 3_997 }));
    expect(given.message).toMatch(/^x+\[RE\[CUT: 7 more characters\]$/);
    expect(given.message).not.toContain('s3');
    const text = `cannot parse ${'planted '.repeat(3_000)}`;
    const printed = { hidden: [text.slice('cannot parse '.length)], fields: {} };
    const { message, cause } = await failureOf(call('raises', { text }, { printed }));
    expect(message).toMatch(/ValueError: cannot parse \[REDACTED\]$/);
    expect((cause as Error).message).toMatch(/^Traceback.*ValueError: cannot parse \[REDACTED\]$/s);
  });

  it('halves of surrogate pairs in texts about a call become U+FFFD', async () => {
    const { call } = opened();
    const host = createHost();
    const text = 'M\udcfcller \ud83d';
    const shown = 'M\ufffdller \ufffd';
    const refused = await failureOf(call('tells_halves', { text }, { host }));
    expect(refused).toMatchObject({ code: 'python_refused', message: shown });
    expect(host.asked).toMatchObject({
      notices: [`info: ${shown}`],
      progress: [[1, null, shown]],
      events: [{ target: shown, details: { [shown]: [shown] } }],
    });
    const { message, cause } = await failureOf(call('raises', { text }));
    expect(message).toMatch(new RegExp(`ValueError: ${shown}$`));
    expect((cause as Error).message).toContain(shown);
    expect((cause as Error).message.isWellFormed()).toBe(true);
  });

  it('clients are told, and records too', async () => {
    const host = createHost();
    expect(await opened().value('tell', {}, { host })).toBe('told');
    expect(host.asked.notices).toEqual(['debug: one', 'info: two', 'warning: three', 'error: four']);
    expect(host.asked.progress).toEqual([
      [1, 4, 'a quarter'],
      [2, null, ''],
    ]);
    const common = { kind: 'external', started_at: expect.any(Number), duration_ms: expect.any(Number) };
    const named = { ...common, target: 'api.example.com', details: null };
    expect(host.asked.events).toEqual([
      { ...named, operation: 'GET /rates', status: 'success', summary: '3 rates', error: null },
      { ...named, operation: null, status: 'error', summary: null, error: 'KeyError' },
    ]);
  });

  it('what has no form for the server is an exception of its call, and the next call is its own', async () => {
    const { call, value } = opened();
    const error = await failureOf(call('tells_nothing', {}, { user: { id: 'ada' } }));
    expect(error.message).toMatch(/^python\/calls\.py:\d+: ValueError: /);
    expect(await value('who', {}, { user: { id: 'bob' } })).toMatchObject({ id: 'bob' });
  });

  it('an exception is a failure with the line of its author, and a text for nobody but the log', async () => {
    const error = await failureOf(opened().call('raises', { text: 'the reason' }));
    expect(error.code).toBe('python_failed');
    expect(error.message).toMatch(/^python\/calls\.py:\d+: ValueError: the reason$/);
    expect((error.cause as Error).message).toMatch(
      /^Traceback.*in raises.*in inner.*ValueError: the reason$/s,
    );
    expect((error.cause as Error).message).not.toContain('_dispatch');
  });

  it('a UserError is what the client reads', async () => {
    const error = await failureOf(opened().call('refuses', { text: 'No such customer.' }));
    expect([error.code, error.message]).toEqual(['python_refused', 'No such customer.']);
  });

  it('what is no function is said, with the nearest name', async () => {
    const error = await failureOf(opened().call('helo'));
    expect([error.code, error.message]).toEqual([
      'python_failed',
      'NoFunction: python/calls.py has no function helo. Did you mean hello?',
    ]);
    expect((await failureOf(opened().call('not_callable'))).message).toContain('no function not_callable');
    expect((await failureOf(opened().call('hello', { nme: 1 }))).message).toContain("argument 'nme'");
  });

  it('a file that cannot be loaded is said with its line, and harms no other', async () => {
    const { call, value } = opened();
    const syntax = await failureOf(call('broken', {}, { file: 'tools/broken-syntax.py' }));
    expect([syntax.code, syntax.message]).toEqual([
      'python_failed',
      expect.stringMatching(/^tools\/broken-syntax\.py:1: SyntaxError: /),
    ]);
    const imports = await failureOf(call('x', {}, { file: 'tools/broken_import.py' }));
    expect(imports.message).toMatch(/^tools\/broken_import\.py:1: ModuleNotFoundError: /);
    expect(await value('hello')).toBe('hello you');
  });

  it('what functions print goes to the log, and never into the protocol', async () => {
    const { value, printed } = opened();
    expect(await value('prints', { lines: 1000 })).toBe('');
    expect(await value('hello')).toBe('hello you');
    await expect.poll(printed, { timeout: 15_000 }).toContain('python/calls.py: line 199');
    // What is read late counts for the call after, so that only some bound is certain.
    await expect
      .poll(async () => [await value('hello'), printed()].join('\n'), { timeout: 15_000 })
      .toMatch(/\d+ more lines were printed/);
    expect(printed().match(/python\/calls\.py: line/g)?.length).toBeLessThan(900);
  });

  it.runIf(processes)('what programs of a function print goes the same way', async () => {
    const { value, printed } = opened();
    expect(await value('prints_elsewhere')).toBe('');
    await expect.poll(printed, { timeout: 15_000 }).toContain('python/calls.py: from a program');
  });

  it.runIf(!processes)('a program is an exception of its call', async () => {
    expect((await failureOf(opened().call('prints_elsewhere'))).message).toMatch(
      /does not support processes/,
    );
  });

  it('sys.exit ends the call only', async () => {
    for (const name of ['leaves', 'leaves_later']) {
      const error = await failureOf(opened().call(name));
      expect(error.message).toMatch(/^python\/calls\.py:\d+: SystemExit: 3$/);
    }
    expect(await opened().value('hello')).toBe('hello you');
  });
}
