import { readdirSync, readFileSync } from 'node:fs';

/** A process and all that it has started. */
export function familyOf(pid: number): readonly number[] {
  const children = read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean);
  return [pid, ...children.flatMap((child) => familyOf(Number(child)))];
}

/** Resident memory in megabytes; 0 for a process that has ended. */
export function memoryOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;
}

/** The number of open files and sockets. */
export function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** The command of a process, with blanks between its words. */
export function commandOf(pid: number): string {
  return read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
}

/** Names a process so that another one with the same number has another name. Empty for a process that has ended. */
export function identityOf(pid: number): string {
  const stat = read(`/proc/${pid}/stat`);
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return stat === '' || state === 'Z' || state === 'X' ? '' : `${pid} since ${fields[18]}`;
}

/** The text of a file of /proc; empty if the process has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && (thrown.code === 'ENOENT' || thrown.code === 'ESRCH'))
      return '';
    throw thrown;
  }
}
