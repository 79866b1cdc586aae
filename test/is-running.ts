import { readFileSync } from 'node:fs';

/** Whether a process runs. One that has ended may be a zombie until its parent asks. Linux only. */
export function isRunning(pid: number | string): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
