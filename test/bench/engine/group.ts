import type { Row } from '../measure.ts';
import { createSales, type Sales } from './data.ts';
import { measureFirst } from './first.ts';
import { measureFlat } from './flat.ts';
import { measureHeavy } from './heavy.ts';
import { measureRate } from './rate.ts';
import { measureWorker } from './worker.ts';

const MILLION = 1_000_000;

/** Both engines against themselves bare and against each other; `big` adds ten million rows. */
export async function measureEngine({ big }: { readonly big: boolean }): Promise<readonly Row[]> {
  const rows = await withSales(MILLION, async (sales) => [
    ...(await step('heavy statements', () => measureHeavy(sales, { memoryMb: 512 }, 9))),
    ...(await step('first query and memory', () => measureFirst(sales))),
    ...(await step('calls per second', () => measureRate(sales))),
    ...(await step('memory over 100,000 calls', () => measureFlat(sales))),
  ]);
  // The default of 512 MB would make the engine read ten million rows anew for each statement.
  const more = big
    ? await withSales(10 * MILLION, (sales) =>
        step('ten million rows', () => measureHeavy(sales, { memoryMb: 2048 }, 4)),
      )
    : [];
  return [...rows, ...more, ...(await step('workerd', measureWorker))];
}

async function withSales<T>(count: number, work: (sales: Sales) => Promise<T>): Promise<T> {
  const sales = await createSales(count);
  try {
    return await work(sales);
  } finally {
    await sales.remove();
  }
}

/** Says what it is at: it takes minutes. */
function step(name: string, measure: () => Promise<readonly Row[]>): Promise<readonly Row[]> {
  process.stderr.write(`  ${name} ...\n`);
  return measure();
}
