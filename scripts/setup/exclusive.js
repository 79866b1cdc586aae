import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { ROOT } from './root.js';

const LOCK = join(ROOT, 'build/.setup.lock');
const BEAT_MS = 2_000;
const DEAD_MS = 30_000;

/** Runs work alone among all processes that set up this checkout. Takes over from a holder that died. */
export async function exclusively(work) {
  mkdirSync(dirname(LOCK), { recursive: true });
  while (!taken()) await after(50);
  const beat = setInterval(keepAlive, BEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    rmSync(LOCK, { force: true });
  }
}

function keepAlive() {
  try {
    utimesSync(LOCK, new Date(), new Date());
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}

function taken() {
  try {
    writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    removeIfDead();
    return false;
  }
}

/** Renames the lock before removing it, and puts it back if another process was faster. */
function removeIfDead() {
  const holder = holderOf(LOCK);
  if (holder === null || !isDead(holder)) return;
  const aside = `${LOCK}.${process.pid}`;
  try {
    renameSync(LOCK, aside);
    if (holderOf(aside)?.inode !== holder.inode) return renameSync(aside, LOCK);
    rmSync(aside);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}

function holderOf(file) {
  try {
    const { ino: inode, mtimeMs } = statSync(file);
    return { inode, mtimeMs, pid: Number(readFileSync(file, 'utf8')) };
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

function isDead({ pid, mtimeMs }) {
  return Date.now() - mtimeMs > DEAD_MS || (pid > 0 && !isAlive(pid));
}

/** Whether a process of that id exists. The id may belong to a newer process by now. */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}
