import { execFile } from 'node:child_process';
import { readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { promisify } from 'node:util';

/** A process that has a file open. */
export interface Holder {
  readonly pid: number;
  /** Its command line, if it can be read; else empty. */
  readonly command: string;
}

/**
 * Finds the other processes that have a database open. DuckDB's lock only keeps two writers apart. This also finds
 * readers without a lock, such as our WASM engine, whose file must not change. Returns an empty list if the system
 * does not tell.
 */
export async function holdersOf(path: string): Promise<readonly Holder[]> {
  const real = await realpath(path).catch(() => null);
  if (real === null) return [];
  const pids = process.platform === 'linux' ? await pidsFromProc(real) : await pidsFromLsof(real);
  return Promise.all(pids.filter((pid) => pid !== process.pid).map(toHolder));
}

/** Finds only processes that this user may inspect. */
async function pidsFromProc(path: string): Promise<readonly number[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const open = await Promise.all(pids.map((pid) => hasOpen(pid, path)));
  return pids.filter((_pid, index) => open[index]).map(Number);
}

async function hasOpen(pid: string, path: string): Promise<boolean> {
  const folder = `/proc/${pid}/fd`;
  const descriptors = await readdir(folder).catch(() => []);
  const targets = await Promise.all(descriptors.map((fd) => readlink(`${folder}/${fd}`).catch(() => '')));
  return targets.includes(path);
}

async function pidsFromLsof(path: string): Promise<readonly number[]> {
  const answer = await promisify(execFile)('lsof', ['-t', '--', path]).catch(() => ({ stdout: '' }));
  return answer.stdout.split(/\s+/).filter(Boolean).map(Number);
}

async function toHolder(pid: number): Promise<Holder> {
  const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return { pid, command: line.split('\0').join(' ').trim().slice(0, 120) };
}
