import { cpus, loadavg } from 'node:os';
import type { SystemFigures } from '../../../src/admin/source.ts';
import { percentOf } from './proc.ts';

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
export function createCpu(): SystemFigures['cpu'] {
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
