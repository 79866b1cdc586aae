import { freemem, totalmem } from 'node:os';
import type { SystemFigures } from '../../../src/admin/source.ts';
import { percentOf, readProc, toNumbers } from './proc.ts';

/** Measures the memory of the machine and of this process. */
export const readMemory: SystemFigures['memory'] = async () => {
  const machine = toNumbers((await readProc('meminfo')) ?? '');
  const own = toNumbers((await readProc('self/status')) ?? '');
  const total = machine.get('MemTotal') ?? totalmem();
  const free = machine.get('MemFree') ?? freemem();
  const available = machine.get('MemAvailable') ?? free;
  return {
    total_bytes: total,
    available_bytes: available,
    used_bytes: total - available,
    free_bytes: free,
    percent: percentOf(total - available, total),
    ...swapOf(machine.get('SwapTotal'), machine.get('SwapFree')),
    svc_process_rss_bytes: process.memoryUsage.rss(),
    svc_process_vms_bytes: own.get('VmSize') ?? null,
  };
};

function swapOf(total: number | undefined, free: number | undefined) {
  if (total === undefined || free === undefined) {
    return { swap_total_bytes: null, swap_used_bytes: null, swap_free_bytes: null, swap_percent: null };
  }
  return {
    swap_total_bytes: total,
    swap_used_bytes: total - free,
    swap_free_bytes: free,
    swap_percent: percentOf(total - free, total),
  };
}
