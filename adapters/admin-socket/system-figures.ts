import { readdir, readFile, statfs } from 'node:fs/promises';
import { cpus, freemem, loadavg, totalmem, uptime } from 'node:os';
import type { SystemFigures } from '../../src/admin/source.ts';

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

/** Reads a file of Linux's /proc; null on other systems. */
async function readProc(name: string): Promise<string | null> {
  return readFile(`/proc/${name}`, 'utf8').catch(() => null);
}

/** Parses lines such as `MemTotal:  123 kB`; values in kB become bytes. */
function toNumbers(text: string): ReadonlyMap<string, number> {
  const pairs = text.matchAll(/^(\w[^:\n]*):\s+(\d+)( kB)?/gm);
  return new Map(
    [...pairs].map(([, name = '', value = '', unit]) => [name, Number(value) * (unit ? 1024 : 1)]),
  );
}

/** Returns a share as a percentage between 0 and 100, with one decimal. */
function percentOf(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.round(Math.min(1, Math.max(0, part / whole)) * 1000) / 10;
}

interface Times {
  readonly busy: number;
  readonly all: number;
}

const sample = (): readonly Times[] =>
  cpus().map(({ times: { user, nice, sys, irq, idle } }) => {
    const busy = user + nice + sys + irq;
    return { busy, all: busy + idle };
  });

/** Measures the load of the processors since the previous call; the first call measures since boot. */
function createCpu(): SystemFigures['cpu'] {
  let before = sample();
  let last: readonly number[] = before.map(({ busy, all }) => percentOf(busy, all));
  return async () => {
    const now = sample();
    const passed = now.map(({ busy, all }, index) => ({
      busy: busy - (before[index]?.busy ?? 0),
      all: all - (before[index]?.all ?? 0),
    }));
    // Two calls within one tick of the clock measure nothing, so the previous figures stay.
    if (passed.some(({ all }) => all > 0)) {
      last = passed.map(({ busy, all }) => percentOf(busy, all));
      before = now;
    }
    const [one = 0, five = 0, fifteen = 0] = loadavg();
    return {
      percent: last.length === 0 ? 0 : Math.round((sum(last) / last.length) * 10) / 10,
      per_cpu_percent: [...last],
      load_avg_1min: one,
      load_avg_5min: five,
      load_avg_15min: fifteen,
    };
  };
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** Measures the memory of the machine and of this process. */
const readMemory: SystemFigures['memory'] = async () => {
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

/** Bytes of a sector in /proc/diskstats, independent of the disk's own sector size. */
const SECTOR = 512;
/**
 * Names of whole disks. Partitions and stacked devices (LVM, RAID) are left out: they would be counted twice.
 */
const DISK = /^(?:[hsv]d[a-z]+|xvd[a-z]+|nvme\d+n\d+|mmcblk\d+)$/;

/** Measures the disk of a folder, and the bytes that all disks have read and written since boot. */
function createDisk(folder: string): SystemFigures['disk'] {
  return async () => {
    const { bsize, blocks, bfree, bavail } = await statfs(folder);
    const used = (blocks - bfree) * bsize;
    return {
      total_bytes: blocks * bsize,
      used_bytes: used,
      free_bytes: bavail * bsize,
      percent: percentOf(used, used + bavail * bsize),
      ...(await readCounters()),
    };
  };
}

async function readCounters() {
  const text = await readProc('diskstats');
  if (text === null) return { read_bytes: null, write_bytes: null, read_count: null, write_count: null };
  const disks = text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , name = '']) => DISK.test(name));
  const sum = (column: number) => disks.reduce((total, fields) => total + Number(fields[column] ?? 0), 0);
  return {
    read_bytes: sum(5) * SECTOR,
    write_bytes: sum(9) * SECTOR,
    read_count: sum(3),
    write_count: sum(7),
  };
}

/** The columns of /proc/net/dev, by the names of the figures. */
const COLUMNS = {
  bytes_recv: 0,
  packets_recv: 1,
  errin: 2,
  dropin: 3,
  bytes_sent: 8,
  packets_sent: 9,
  errout: 10,
  dropout: 11,
} as const;

/** Sums the traffic of all interfaces since boot. */
const readNetwork: SystemFigures['network'] = async () => {
  const lines = (await readProc('net/dev'))?.trim().split('\n').slice(2) ?? null;
  const rows =
    lines?.map((line) =>
      line
        .slice(line.indexOf(':') + 1)
        .trim()
        .split(/\s+/),
    ) ?? null;
  const sum = (column: number) =>
    rows === null ? null : rows.reduce((total, fields) => total + Number(fields[column] ?? 0), 0);
  return {
    bytes_sent: sum(COLUMNS.bytes_sent),
    bytes_recv: sum(COLUMNS.bytes_recv),
    packets_sent: sum(COLUMNS.packets_sent),
    packets_recv: sum(COLUMNS.packets_recv),
    errin: sum(COLUMNS.errin),
    errout: sum(COLUMNS.errout),
    dropin: sum(COLUMNS.dropin),
    dropout: sum(COLUMNS.dropout),
  };
};

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
function createProcess(): SystemFigures['process'] {
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
