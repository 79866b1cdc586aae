import { constants } from 'node:fs';
import { copyFile, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { makeFolder } from '../../adapters/node/make-folder.ts';
import { whereLinksLead } from '../../adapters/node/where-links-lead.ts';
import { SvcError } from '../../src/errors.ts';
import { toFileError } from '../io/file-error.ts';
import { writeWhole } from '../io/write-files.ts';
import { refusal } from './formats.ts';
import type { MergePlan } from './merge.ts';

/**
 * Reads a client's file; null if there is none. Throws if it is not UTF-8, because writing it back would change its
 * bytes.
 */
export async function readClientFile(file: string): Promise<string | null> {
  const bytes = await readFile(file).catch((thrown) => {
    if (thrown.code === 'ENOENT') return null;
    throw toFileError(thrown, file) ?? thrown;
  });
  if (bytes === null) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw refusal(file, 'it is not UTF-8');
  }
}

/** An executed merge, and the path of the copy that was made before it; null if no copy was needed. */
interface Changed {
  readonly plan: MergePlan;
  readonly backup: string | null;
}

/** Clients may write their files at any time. */
const TRIES = 10;

/**
 * Changes a client's file. Only one svc does so at a time, and a change by another program in between is never
 * overwritten. Throws busy.
 */
export async function changeClientFile(
  file: string,
  planOf: (text: string | null) => MergePlan,
): Promise<Changed> {
  return alone(await whereLinksLead(file), async () => {
    for (let left = TRIES; left > 0; left -= 1) {
      const text = await readClientFile(file);
      const plan = planOf(text);
      if (plan.action === 'none') return { plan, backup: null };
      const backup = text === null ? null : await keep(file);
      const unchanged = async () => (await readClientFile(file)) === text;
      if (await writeWhole(file, plan.text, { mode: 0o600, when: unchanged })) return { plan, backup };
      if (backup !== null) await rm(backup);
    }
    throw busy(file, 'another program keeps writing to it');
  });
}

/** Copies the file beside itself under a new name. */
async function keep(file: string): Promise<string> {
  const stamp = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  for (let count = 1; ; count += 1) {
    const backup = `${file}.${stamp}${count === 1 ? '' : `-${count}`}.bak`;
    try {
      await copyFile(file, backup, constants.COPYFILE_EXCL);
      return backup;
    } catch (thrown) {
      if (!isThere(thrown)) throw thrown;
    }
  }
}

const STEP_MS = 25;
/** A change takes milliseconds, so an older lock belongs to a dead process. */
const DEAD_MS = 5_000;
const LONGEST_MS = 20_000;

async function alone<T>(target: string, work: () => Promise<T>): Promise<T> {
  const lock = `${target}.svc-lock`;
  makeFolder(dirname(target));
  for (let waited = 0; !(await taken(lock)); waited += STEP_MS) {
    if (waited >= LONGEST_MS) throw busy(target, `${lock} stays there`);
    await after(STEP_MS);
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function taken(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (thrown) {
    if (!isThere(thrown)) throw thrown;
    const made = await stat(lock).catch(() => null);
    if (made !== null && Date.now() - made.mtimeMs > DEAD_MS) await rm(lock, { force: true });
    return false;
  }
}

function isThere(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST';
}

function busy(file: string, why: string): SvcError {
  return new SvcError(
    'busy',
    `${file} cannot be changed: ${why}. Nothing was changed.\nClose the program that uses it, and run the same again.`,
  );
}
