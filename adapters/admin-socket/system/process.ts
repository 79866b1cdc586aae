import { readdir } from 'node:fs/promises';
import type { SystemFigures } from '../../../src/admin/source.ts';
import { readProc, toNumbers } from './proc.ts';

const STATES: { readonly [letter: string]: string } = {
  R: 'running',
  S: 'sleeping',
  D: 'disk-sleep',
  T: 'stopped',
  t: 'tracing-stop',
  Z: 'zombie',
  I: 'idle',
};

/** Measures this process. Its processor share is that since the previous call, or since the start. */
export function createProcess(): SystemFigures['process'] {
  let before = { at: process.hrtime.bigint(), cpu: process.cpuUsage() };
  return async () => {
    const status = await readProc('self/status');
    const numbers = toNumbers(status ?? '');
    const { user, system } = process.cpuUsage(before.cpu);
    const at = process.hrtime.bigint();
    const passed = Number(at - before.at) / 1000;
    before = { at, cpu: process.cpuUsage() };
    const files = await readdir('/proc/self/fd').catch(() => null);
    return {
      pid: process.pid,
      status: STATES[/^State:\s+(\w)/m.exec(status ?? '')?.[1] ?? ''] ?? 'running',
      cpu_percent: Math.round(((user + system) / passed) * 1000) / 10,
      memory_rss_bytes: process.memoryUsage.rss(),
      memory_vms_bytes: numbers.get('VmSize') ?? null,
      num_threads: numbers.get('Threads') ?? null,
      num_fds: files?.length ?? null,
    };
  };
}
