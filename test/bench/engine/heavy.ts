import type { Row } from '../measure.ts';
import { CONTENDERS, type Contender, type ContenderName, type Room } from './contenders.ts';
import { HEAVY, pointLookup, ROWS, type Sales } from './data.ts';

/** Ours against what it is compared with; `budget` is the most that the ratio may be. */
interface Pairing {
  readonly ours: ContenderName;
  readonly base: ContenderName;
  readonly budget: number | null;
}

const PAIRINGS: readonly Pairing[] = [
  { ours: 'wasm', base: 'stock wasm', budget: 1.1 },
  { ours: 'wasm in process', base: 'stock wasm', budget: 1.1 },
  { ours: 'native', base: 'plain node-api', budget: 1.1 },
  { ours: 'wasm', base: 'native', budget: null },
];

const LOOKUPS = 200;
/** A call has its fixed cost, which is no part of heavy work: what the bare engine does sooner has no budget. */
const HEAVY_MS = 20;
const MESSAGE_BUDGET = 1.3;

interface Subject {
  readonly name: string;
  readonly heavy: boolean;
  /** The budget of ours against the bare engine, if it differs from that of its kind. */
  readonly budget?: number;
  readonly run: (contender: Contender) => Promise<unknown>;
  /** How many statements one run is. */
  readonly statements: number;
}

/** Heavy statements, and some that are not, on each engine in turn. */
export async function measureHeavy(
  sales: Sales,
  { rounds, ...room }: Room & { readonly rounds: number },
): Promise<readonly Row[]> {
  const contenders = await openAll(sales, room);
  try {
    const rows: Row[] = [];
    for (const subject of subjectsOf(sales))
      rows.push(...(await measureSubject(subject, contenders, { sales, rounds })));
    return rows;
  } finally {
    for (const contender of Object.values(contenders)) await contender.close();
  }
}

type Contenders = Readonly<Record<ContenderName, Contender>>;

async function openAll({ path }: Sales, room: Room): Promise<Contenders> {
  const opened: [string, Contender][] = [];
  for (const [name, open] of Object.entries(CONTENDERS)) opened.push([name, await open(path, room)]);
  return Object.fromEntries(opened) as Contenders;
}

function subjectsOf({ rows }: Sales): readonly Subject[] {
  const heavy = Object.entries(HEAVY).map(([name, sql]) => ({
    name,
    heavy: true,
    statements: 1,
    run: (contender: Contender) => contender.run(sql),
  }));
  const fetch: Subject = {
    name: '10,000 rows',
    heavy: false,
    statements: 1,
    run: (contender) => contender.run(ROWS),
  };
  const message: Subject = {
    name: '10,000 rows as a message, against bare objects',
    heavy: false,
    budget: MESSAGE_BUDGET,
    statements: 1,
    run: async (contender) => {
      const rows = await contender.run(ROWS);
      contender.toMessage?.(rows);
    },
  };
  const lookups: Subject = {
    name: 'one row by its number',
    heavy: false,
    statements: LOOKUPS,
    run: async (contender) => {
      for (let at = 0; at < LOOKUPS; at += 1) await contender.run(pointLookup((at * 7919) % rows));
    },
  };
  return [...heavy, fetch, message, lookups];
}

interface Setting {
  readonly sales: Sales;
  readonly rounds: number;
}

/** Everybody runs it in each round, forwards and backwards in turn; of each the best round counts. */
async function measureSubject(
  subject: Subject,
  contenders: Contenders,
  { sales, rounds }: Setting,
): Promise<readonly Row[]> {
  const names = Object.keys(contenders) as ContenderName[];
  const best = new Map<ContenderName, number>();
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const elapsed = await timeOf(() => subject.run(contenders[name]));
      // The first round compiles and fills caches.
      if (round > 0) best.set(name, Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, elapsed));
    }
  }
  const cost = (name: ContenderName): number => (best.get(name) ?? Number.NaN) / subject.statements;
  return PAIRINGS.map(({ ours, base, budget }) => ({
    what: `${ours}: ${subject.name}, ${sales.rows / 1e6} M rows`,
    ours: cost(ours),
    base: cost(base),
    baseName: base,
    unit: 'ms',
    budget: budgetOf(subject, budget, cost(base)),
  }));
}

/** Pairings without a budget have none for any subject. */
function budgetOf({ heavy, budget }: Subject, usual: number | null, baseMs: number): number | null {
  if (usual === null) return null;
  return budget ?? (heavy && baseMs >= HEAVY_MS ? usual : null);
}

async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await run();
  return performance.now() - begun;
}
