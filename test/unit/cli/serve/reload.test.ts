import { cpSync, existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { PYTHON } from '../../adapters/python/found.ts';
import { type Served, serveHeld } from './held-project.ts';

const began = ({ root }: Served, name: string) =>
  vi.waitFor(() => expect(existsSync(join(root, `${name}.began`))).toBe(true), 60_000);
const letGo = ({ root }: Served, name: string) => writeFileSync(join(root, `${name}.go`), '');

const READ_ONLY = ', readonly: true';

describe.skipIf(PYTHON === null).each([
  ['read-write', ''],
  ['read-only', READ_ONLY],
])('a request on a %s database', (_, database) => {
  // Requirements: state.in_progress
  it('keeps the settings and the database it began with, and is counted', { timeout: 120_000 }, async () => {
    const served = await serveHeld({ database });
    expect(await served.status()).toMatchObject({ active_requests: 0, draining: false });
    const running = served.call('held', { name: 'one' });
    await began(served, 'one');
    expect(await served.status()).toMatchObject({ active_requests: 1, draining: false });
    writeFileSync(join(served.root, 'key'), 'second');
    expect(await served.reload()).toMatchObject({
      last_reload_status: 'success',
      active_requests: 1,
      draining: true,
    });
    letGo(served, 'two');
    expect(await served.call('held', { name: 'two' })).toEqual({ result: ['second', 'second', '1'] });
    letGo(served, 'one');
    expect(await running).toEqual({ result: ['first', 'first', '1'] });
    expect(await served.status()).toMatchObject({ active_requests: 0, draining: false });
  });

  // Requirements: transition.waits
  it('waits for a Python process through a reload', { timeout: 120_000 }, async () => {
    const served = await serveHeld({ database });
    const names = Array.from({ length: 8 }, (_, index) => `call${index}`);
    const running = names.map((name) => served.call('held', { name }));
    await vi.waitFor(async () => expect(await served.status()).toMatchObject({ active_requests: 8 }), 60_000);
    expect(await served.reload()).toMatchObject({ last_reload_status: 'success' });
    for (const name of names) letGo(served, name);
    for (const answer of await Promise.all(running)) {
      expect(answer).toEqual({ result: ['first', 'first', '1'] });
    }
  });
});

describe('a reload of a database that is open for writing', () => {
  const BAD: readonly (readonly [string, string, (path: string) => void])[] = [
    ['gone', 'There is no database file', (path) => rmSync(path)],
    [
      'another file, which is no database',
      'text file',
      (path) => {
        writeFileSync(`${path}.new`, 'not a database '.repeat(1_000));
        renameSync(`${path}.new`, path);
      },
    ],
    [
      'another database',
      'was replaced by another file while it is open for writing',
      (path) => {
        cpSync(path, `${path}.new`);
        renameSync(`${path}.new`, path);
      },
    ],
  ];
  // Requirements: transition.fails
  it.each(BAD)(
    'fails if the file is %s, and the open one serves on',
    {
      timeout: 120_000,
    },
    async (_, text, spoil) => {
      const served = await serveHeld();
      const path = join(served.root, 'data.db');
      expect(await served.call('total')).toEqual({ total: 1 });
      spoil(path);
      const before = existsSync(path) ? statSync(path).ino : null;
      expect(await served.reload()).toMatchObject({
        last_reload_status: 'error',
        last_reload_error: expect.stringContaining(text),
      });
      expect(existsSync(path) ? statSync(path).ino : null).toBe(before);
      await served.call('add');
      expect(await served.call('total')).toEqual({ total: 3 });
    },
  );

  it('keeps what was written, before and after', { timeout: 120_000 }, async () => {
    const served = await serveHeld();
    await served.call('add');
    expect(await served.reload()).toMatchObject({ last_reload_status: 'success' });
    await served.call('add');
    expect(await served.call('total')).toEqual({ total: 5 });
    served.server.child.kill('SIGTERM');
    expect((await served.server.ended).code).toBe(0);
  });
});
