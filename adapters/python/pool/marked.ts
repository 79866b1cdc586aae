import { readdirSync, readFileSync } from 'node:fs';

/** The environment variable that all programs inherit which functions of one Python process start. */
export const MARK = 'SVC_PYTHON_PROCESS';

/** A program can start another one while we look for it, but hardly as often as this. */
const MAX_ROUNDS = 20;

/** Ends all processes that carry a mark, on Linux. Elsewhere the environment of a process cannot be read. */
export function endMarked(mark: string): void {
  if (process.platform !== 'linux') return;
  const ended = new Set<number>();
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const found = markedProcesses(`${MARK}=${mark}`).filter((pid) => !ended.has(pid));
    if (found.length === 0) return;
    for (const pid of found) {
      ended.add(pid);
      end(pid);
    }
  }
}

function markedProcesses(entry: string): readonly number[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    return Number.isInteger(pid) && environmentOf(pid).includes(entry) ? [pid] : [];
  });
}

/** Empty for a process that has ended, or that another user runs. */
function environmentOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch {
    return [];
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
