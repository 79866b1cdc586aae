import { type FileHandle, open } from 'node:fs/promises';
import { devNull } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';

/*
 * Slows the disk of a process that loads this module with `--import`: `SLOW_WRITE` and `SLOW_SYNC` are milliseconds
 * before each write and each sync of a file handle.
 */

type Step = 'write' | 'datasync';

/** Runs `before` ahead of each write or sync of any file handle of this process; returns a function that undoes it. */
export async function delayDisk(step: Step, before: () => Promise<void>): Promise<() => void> {
  const handle = await open(devNull, 'a');
  const methods: FileHandle = Object.getPrototypeOf(handle);
  await handle.close();
  const real: unknown = Reflect.get(methods, step);
  Reflect.set(methods, step, async function (this: FileHandle, ...args: unknown[]) {
    await before();
    return typeof real === 'function' ? real.apply(this, args) : undefined;
  });
  return () => void Reflect.set(methods, step, real);
}

const { SLOW_WRITE, SLOW_SYNC } = process.env;
if (SLOW_WRITE !== undefined) await delayDisk('write', () => wait(Number(SLOW_WRITE)));
if (SLOW_SYNC !== undefined) await delayDisk('datasync', () => wait(Number(SLOW_SYNC)));
