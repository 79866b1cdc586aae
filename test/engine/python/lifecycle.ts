import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Implementation, type Opened, openSubject, PROJECT } from './subject.ts';

/** Beginning, beginning anew, and the end. */
export function describeLifecycle(implementation: Implementation, opened: () => Opened): void {
  const inCopy = async (work: (root: string) => Promise<void>) => {
    const root = await mkdtemp(join(tmpdir(), 'python-'));
    await cp(PROJECT, root, { recursive: true });
    await work(root).finally(() => rm(root, { recursive: true, force: true }));
  };

  const { artefact } = implementation;

  it.runIf(artefact)(
    'an artefact that is built anew has files as they are now, and the one before has its own',
    () =>
      inCopy(async (root) => {
        const before = opened();
        await writeFile(join(root, 'python/calls.py'), 'def hello():\n    return "anew"\n');
        const after = await openSubject(implementation, { root });
        try {
          expect(await after.value('hello')).toBe('anew');
          expect(await before.value('hello')).toBe('hello you');
        } finally {
          await after.python.close();
        }
      }),
    300_000,
  );

  // Requirements: reread.python
  it.runIf(!artefact)('one that is opened beside another has files as they are now, and started', () =>
    inCopy(async (root) => {
      const before = await openSubject(implementation, { root, size: 1 });
      try {
        expect(await before.value('hello')).toBe('hello you');
        await writeFile(join(root, 'python/calls.py'), 'def hello():\n    return "anew"\n');
        expect(await before.value('hello')).toBe('hello you');
        const running = before.call('sleeps', { seconds: 0.4 });
        const after = await openSubject(implementation, { root, size: 1 });
        await after.python.start?.();
        expect(await after.value('hello').finally(() => after.python.close())).toBe('anew');
        expect((await running).value).toBe('awake');
      } finally {
        await before.python.close();
      }
    }),
  );

  it.runIf(!artefact)('a sensitive argument is in no line that a later call ends', async () => {
    const { python, value, printed } = await openSubject(implementation, { size: 1 });
    const text = 'planted-argument';
    try {
      await value('leaves_lines_open', { text }, { printed: { hidden: [text], fields: {} } });
      for (let calls = 0; calls < 2; calls += 1) await value('hello');
      await value('prints');
      await expect.poll(printed, { timeout: 15_000 }).toContain('line 0');
      await expect.poll(printed, { timeout: 15_000 }).toContain('to stderr');
    } finally {
      await python.close();
    }
    expect(printed()).toContain('[REDACTED]');
    expect(printed()).not.toContain(text);
  });

  it.runIf(artefact)('a sensitive argument is in no line that it leaves open', async () => {
    const { value, printed } = opened();
    const text = 'planted-argument';
    await value('leaves_lines_open', { text }, { printed: { hidden: [text], fields: {} } });
    await value('hello');
    await value('leaves_lines_open', { text: 'the end' });
    await expect.poll(printed, { timeout: 15_000 }).toContain('the end');
    expect(printed()).not.toContain(text);
  });

  // Requirements: reread.python
  it.runIf(!artefact)('each one has the secrets and settings that it was opened with', async () => {
    for (const key of ['old', 'new']) {
      const settings = { secret: () => ({ key }), config: () => ({ site: { project: key }, user: {} }) };
      const { python, value } = await openSubject(implementation, { settings });
      try {
        expect(await value('secret', { name: 'any' })).toEqual({ key });
        expect(await value('settings')).toEqual([null, 7, key, {}]);
      } finally {
        await python.close();
      }
    }
  });

  it.runIf(!artefact)(
    'a changed file is taken up by the next call where that is wanted, and so is a module that it imports',
    () =>
      inCopy(async (root) => {
        const { python, value } = await openSubject(implementation, { root, follow: true });
        const area = () => value('area', {}, { file: 'python/shapes/area.py' });
        try {
          expect(await area()).toEqual([16, 1]);
          await writeFile(join(root, 'python/shapes/sides.py'), 'SIDES = 5  # more\n');
          expect(await area()).toEqual([25, 1]);
          await writeFile(join(root, 'python/shapes/area.py'), 'def area():\n    return "other"\n');
          expect(await area()).toBe('other');
        } finally {
          await python.close();
        }
      }),
  );

  it.runIf(!artefact)('the end runs @on_shutdown, refuses what comes after, and may come twice', async () => {
    const { python, call, printed } = await openSubject(implementation);
    await call('hello');
    await python.close();
    await python.close();
    expect(printed()).toContain('shut down');
    await expect(call('hello')).rejects.toMatchObject({ code: 'python_unavailable' });
  });
}
