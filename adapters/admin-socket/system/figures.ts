import { cpus, totalmem, uptime } from 'node:os';
import type { SystemFigures } from '../../../src/admin/source.ts';
import { createCpu } from './cpu.ts';
import { createDisk } from './disk.ts';
import { readMemory } from './memory.ts';
import { readNetwork } from './network.ts';
import { readProc } from './proc.ts';
import { createProcess } from './process.ts';

/** Creates the reader of this machine's figures. It asks the system directly and starts no process. */
export function createFigures(folder: string): SystemFigures {
  return {
    info: readInfo,
    cpu: createCpu(),
    memory: readMemory,
    disk: createDisk(folder),
    network: readNetwork,
    process: createProcess(),
  };
}

const readInfo: SystemFigures['info'] = async () => {
  const logical = cpus().length;
  return {
    boot_time_seconds: Math.round(Date.now() / 1000 - uptime()),
    cpu_count_physical: countCores((await readProc('cpuinfo')) ?? '') || logical,
    cpu_count_logical: logical,
    memory_total_bytes: totalmem(),
  };
};

/** Counts cores. Two threads of a core have the same package and core id. */
function countCores(cpuinfo: string): number {
  const cores = cpuinfo.split('\n\n').flatMap((block) => {
    const [socket, core] = [/^physical id\s*: (\d+)/m, /^core id\s*: (\d+)/m].map(
      (line) => line.exec(block)?.[1],
    );
    return core === undefined ? [] : [`${socket}-${core}`];
  });
  return new Set(cores).size;
}
