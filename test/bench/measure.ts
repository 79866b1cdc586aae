import { toLines } from './report.ts';

/** One line of the bench's report: ours against a base, measured in turn in the same run. */
export interface Row {
  readonly what: string;
  readonly ours: number;
  readonly base: number | null;
  readonly baseName: string;
  readonly unit: string;
  /** The most that ours / base (or ours alone, without a base) may be. */
  readonly budget: number | null;
}

/** A thing to measure; `once` answers its cost in the row's unit. */
export type Once = () => Promise<number>;

/** The middle value. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Measures A and B in turn, A B A B, so that a machine that slows down slows both. */
export async function inTurn(
  a: Once,
  b: Once,
  rounds: number,
): Promise<{ a: number; b: number; ratio: number }> {
  const pairs: [number, number][] = [];
  for (let round = 0; round < rounds; round += 1) pairs.push([await a(), await b()]);
  return {
    a: median(pairs.map(([left]) => left)),
    b: median(pairs.map(([, right]) => right)),
    ratio: median(pairs.map(([left, right]) => left / right)),
  };
}

/** Microseconds for one call of `run`, averaged over `calls` of them after a warm-up. */
export async function perCall(run: () => Promise<unknown>, calls: number): Promise<number> {
  for (let call = 0; call < Math.min(50, calls); call += 1) await run();
  const start = performance.now();
  for (let call = 0; call < calls; call += 1) await run();
  return ((performance.now() - start) * 1000) / calls;
}

/** What one call costs, in microseconds: of the clock, and of the processor of whoever answers. */
export interface Cost {
  readonly wall: number;
  readonly cpu: number;
}

/** The same with the processor time that `cpu` reads. */
export async function costPerCall(
  run: () => Promise<unknown>,
  calls: number,
  cpu: () => Promise<number>,
): Promise<Cost> {
  await perCall(run, 1);
  const before = await cpu();
  const wall = await perCall(run, calls);
  return { wall, cpu: ((await cpu()) - before) / (calls + Math.min(50, calls)) };
}

/** The report of one group: a table in Markdown, aligned, with what is over its budget marked. */
export function toTable(rows: readonly Row[]): string {
  const head = ['what', 'ours', 'against', 'ratio', 'budget'];
  const lines = rows.map((row) => [
    row.what,
    figure(row.ours, row.unit),
    baseOf(row),
    ratioOf(row),
    budgetOf(row),
  ]);
  return toLines(head, lines);
}

/** Whether a row keeps its budget; rows without one always do. */
export function keepsBudget(row: Row): boolean {
  return row.budget === null || measureOf(row) <= row.budget;
}

const measureOf = (row: Row): number => (row.base === null ? row.ours : row.ours / row.base);
const baseOf = (row: Row): string =>
  row.base === null ? '' : `${figure(row.base, row.unit)}, ${row.baseName}`;
const ratioOf = (row: Row): string => (row.base === null ? '' : `${(row.ours / row.base).toFixed(2)}x`);

function figure(value: number, unit: string): string {
  return `${value >= 100 ? value.toFixed(0) : value.toPrecision(3)} ${unit}`;
}

function budgetOf(row: Row): string {
  if (row.budget === null) return '';
  const limit = row.base === null ? `${row.budget} ${row.unit}` : `${Number(row.budget.toFixed(2))}x`;
  return keepsBudget(row) ? limit : `${limit} **over**`;
}
