import { readdirSync, readFileSync, statfsSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { describe, expect, it, vi } from 'vitest';
import { createFigures } from '../../../../adapters/admin-socket/system-figures.ts';

type Figures = Readonly<Record<string, unknown>>;

const FOLDER = tmpdir();
const MEBIBYTE = 1_048_576;
const figures = createFigures(FOLDER);

const read = (path: string) => readFileSync(path, 'utf8').trim();
const kilobytes = (path: string, name: string) =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(read(path))?.[1]) * 1_024;

/** Passes if each figure lies between the system's own before and after it, give or take `slack`. */
async function expectBetween(shown: () => Promise<Figures>, system: () => Figures, slack = 0): Promise<void> {
  await vi.waitFor(async () => {
    const [before, own, after] = [system(), await shown(), system()];
    for (const name of Object.keys(before)) {
      const bounds = [Number(before[name]), Number(after[name])];
      const within =
        Number(own[name]) >= Math.min(...bounds) - slack && Number(own[name]) <= Math.max(...bounds) + slack;
      expect({ name, shown: own[name], bounds, within }).toMatchObject({ within: true });
    }
  }, 20_000);
}

/** Sums counters of every network interface, from another place than the product reads. */
function ofInterfaces(...counters: readonly string[]): number {
  const files = readdirSync('/sys/class/net').flatMap((name) =>
    counters.map((counter) => `/sys/class/net/${name}/statistics/${counter}`),
  );
  return files.reduce((sum, file) => sum + Number(read(file)), 0);
}

/** Sums a column of the statistics of every disk that is a device. */
function ofDisks(column: number): number {
  const disks = readdirSync('/sys/block').filter((name) =>
    readdirSync(`/sys/block/${name}`).includes('device'),
  );
  return disks.reduce((sum, name) => sum + Number(read(`/sys/block/${name}/stat`).split(/\s+/)[column]), 0);
}

describe.runIf(process.platform === 'linux')('figures of this machine', () => {
  // Requirements: admin./system/info
  it('have its boot time, processors and memory', async () => {
    const cores = readdirSync('/sys/devices/system/cpu').filter((name) => /^cpu\d+$/.test(name));
    const siblings = cores.map((name) =>
      read(`/sys/devices/system/cpu/${name}/topology/thread_siblings_list`),
    );
    const boot = Number(/^btime (\d+)/m.exec(read('/proc/stat'))?.[1]);
    const { boot_time_seconds, ...info } = await figures.info();
    expect(Math.abs(boot_time_seconds - boot)).toBeLessThan(5);
    expect(info).toEqual({
      cpu_count_physical: new Set(siblings).size,
      cpu_count_logical: cpus().length,
      memory_total_bytes: totalmem(),
    });
  });

  // Requirements: admin./system/cpu
  it('have the load of each processor since the last question, and the averages', async () => {
    await expectBetween(figures.cpu, () => {
      const [load_avg_1min = 0, load_avg_5min = 0, load_avg_15min = 0] = loadavg();
      return { load_avg_1min, load_avg_5min, load_avg_15min };
    });
    const until = performance.now() + 300;
    while (performance.now() < until);
    const { percent, per_cpu_percent } = await figures.cpu();
    expect(per_cpu_percent).toHaveLength(cpus().length);
    expect(Math.max(...per_cpu_percent)).toBeGreaterThan(10);
    const sum = per_cpu_percent.reduce((total, one) => total + one, 0);
    expect(percent).toBeCloseTo(sum / per_cpu_percent.length, 0);
  });

  // Requirements: admin./system/memory
  it('have its memory, its swap and that of the process', async () => {
    const of = (name: string) => kilobytes('/proc/meminfo', name);
    const used = () => of('MemTotal') - of('MemAvailable');
    const system = () => ({
      total_bytes: of('MemTotal'),
      available_bytes: of('MemAvailable'),
      used_bytes: used(),
      free_bytes: of('MemFree'),
      swap_total_bytes: of('SwapTotal'),
      swap_used_bytes: of('SwapTotal') - of('SwapFree'),
      swap_free_bytes: of('SwapFree'),
      svc_process_rss_bytes: kilobytes('/proc/self/status', 'VmRSS'),
      svc_process_vms_bytes: kilobytes('/proc/self/status', 'VmSize'),
    });
    await expectBetween(figures.memory, system, 50 * MEBIBYTE);
    const percents = () => ({
      percent: (used() / of('MemTotal')) * 100,
      swap_percent: of('SwapTotal') === 0 ? 0 : (1 - of('SwapFree') / of('SwapTotal')) * 100,
    });
    await expectBetween(figures.memory, percents, 1);
  });

  // Requirements: admin./system/disk
  it('have the size of the disk, and the reads and writes of all disks', async () => {
    const system = () => {
      const { bsize, blocks, bfree, bavail } = statfsSync(FOLDER);
      return {
        total_bytes: blocks * bsize,
        used_bytes: (blocks - bfree) * bsize,
        free_bytes: bavail * bsize,
      };
    };
    await expectBetween(figures.disk, system, 50 * MEBIBYTE);
    const { percent, used_bytes, free_bytes } = await figures.disk();
    expect(percent).toBeCloseTo((used_bytes / (used_bytes + free_bytes)) * 100, 0);
    await expectBetween(figures.disk, () => ({
      read_count: ofDisks(0),
      read_bytes: ofDisks(2) * 512,
      write_count: ofDisks(4),
      write_bytes: ofDisks(6) * 512,
    }));
  });

  // Requirements: admin./system/network
  it('have the traffic, errors and drops of all interfaces', async () => {
    await expectBetween(figures.network, () => ({
      bytes_recv: ofInterfaces('rx_bytes'),
      packets_recv: ofInterfaces('rx_packets'),
      errin: ofInterfaces('rx_errors'),
      dropin: ofInterfaces('rx_dropped', 'rx_missed_errors'),
      bytes_sent: ofInterfaces('tx_bytes'),
      packets_sent: ofInterfaces('tx_packets'),
      errout: ofInterfaces('tx_errors'),
      dropout: ofInterfaces('tx_dropped'),
    }));
  });

  // Requirements: admin./system/process
  it('have the state, load, memory, threads and files of the process', async () => {
    const memory = () => ({
      memory_rss_bytes: kilobytes('/proc/self/status', 'VmRSS'),
      memory_vms_bytes: kilobytes('/proc/self/status', 'VmSize'),
    });
    await expectBetween(figures.process, memory, 50 * MEBIBYTE);
    const counts = () => ({
      num_threads: readdirSync('/proc/self/task').length,
      num_fds: readdirSync('/proc/self/fd').length,
    });
    await expectBetween(figures.process, counts, 2);
    const until = performance.now() + 300;
    while (performance.now() < until);
    const { pid, status, cpu_percent } = await figures.process();
    expect(pid).toBe(process.pid);
    // The main thread sleeps while another thread reads its state.
    expect(status).toMatch(/^(running|sleeping|disk-sleep)$/);
    expect(cpu_percent).toBeGreaterThan(1);
    expect(cpu_percent).toBeLessThanOrEqual(cpus().length * 110);
  });
});
