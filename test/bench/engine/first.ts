import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Row } from '../measure.ts';
import { benchFile } from '../program.ts';
import type { ContenderName } from './contenders.ts';
import type { Sales } from './data.ts';

const PAIRS: readonly (readonly [ContenderName, ContenderName])[] = [
  ['wasm', 'stock wasm'],
  ['wasm in process', 'stock wasm'],
  ['native', 'plain node-api'],
  ['wasm', 'native'],
];
const NAMES = [...new Set(PAIRS.flat())];
const ROUNDS = 4;

/** Each in a process of its own: from its start to the first answer, and the most memory it had after heavy work. */
export async function measureFirst(sales: Sales): Promise<readonly Row[]> {
  const first = await bestOf(sales, 'first');
  const memory = await bestOf(sales, 'all', 1);
  const cost = (from: ReadonlyMap<ContenderName, Taken>, name: ContenderName): Taken =>
    from.get(name) ?? { firstMs: Number.NaN, megabytes: Number.NaN };
  return PAIRS.flatMap(([one, other]) => [
    {
      what: `${one}: start of the process to the first answer`,
      ours: cost(first, one).firstMs,
      base: cost(first, other).firstMs,
      baseName: other,
      unit: 'ms',
      budget: null,
    },
    {
      what: `${one}: the most memory of a process with heavy work`,
      ours: cost(memory, one).megabytes,
      base: cost(memory, other).megabytes,
      baseName: other,
      unit: 'MB',
      budget: null,
    },
  ]);
}

interface Taken {
  readonly firstMs: number;
  readonly megabytes: number;
}

async function bestOf(
  { path }: Sales,
  work: 'first' | 'all',
  rounds = ROUNDS,
): Promise<ReadonlyMap<ContenderName, Taken>> {
  const best = new Map<ContenderName, Taken>();
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? NAMES : NAMES.toReversed()) {
      const taken = await run(name, path, work);
      const known = best.get(name);
      if (known === undefined || taken.firstMs < known.firstMs) best.set(name, taken);
    }
  }
  return best;
}

async function run(name: ContenderName, path: string, work: string): Promise<Taken> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    benchFile('bare/contender.ts'),
    name,
    path,
    work,
  ]);
  return JSON.parse(stdout);
}
