import type { Row } from '../measure.ts';
import { createSales, type Sales } from './data.ts';
import { measureFirst } from './first.ts';
import { measureFlat } from './flat.ts';
import { measureHeavy } from './heavy.ts';
import { measureRate } from './rate.ts';
import { measureWorker } from './worker.ts';

const MILLION = 1_000_000;

type Measure = () => Promise<readonly Row[]>;

/** Both engines against themselves bare and against each other, step by step; `big` adds ten million rows. */
export function engineGroups({ big }: { readonly big: boolean }): Readonly<Record<string, Measure>> {
  const groups = {
    'engine-workerd': measureWorker,
    'engine-heavy': () => withSales(MILLION, (sales) => measureHeavy(sales, { memoryMb: 512, rounds: 9 })),
    'engine-start': () => withSales(MILLION, measureFirst),
    'engine-rate': () => withSales(MILLION, measureRate),
    'engine-memory': () => withSales(MILLION, measureFlat),
  };
  // With its default of 512 MB the engine would read ten million rows anew for each statement.
  const measureBig: Measure = () =>
    withSales(10 * MILLION, (sales) => measureHeavy(sales, { memoryMb: 2048, rounds: 4 }));
  return big ? { ...groups, 'engine-big': measureBig } : groups;
}

async function withSales<T>(count: number, work: (sales: Sales) => Promise<T>): Promise<T> {
  const sales = await createSales(count);
  try {
    return await work(sales);
  } finally {
    await sales.remove();
  }
}
