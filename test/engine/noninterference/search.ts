import fc from 'fast-check';
import type { Database } from '../../../src/ports.ts';
import { seedOfPart } from '../../seed-of-part.ts';
import { type Case, caseOf, type Plan, planOf } from './cases.ts';
import type { Probe } from './probes.ts';
import { type Answer, ask, openWorld } from './world.ts';

/** Requests of one project. */
const EACH = 120;
/** Projects between two looks at the number of cases. */
const ROUND = 10;

/** The figures of a search. A case is one request, made in both worlds. */
export interface Figures {
  readonly seed: number;
  cases: number;
  /** The cases whose worlds differ. */
  differing: number;
  /** The cases that were answered, not refused. */
  answered: number;
  projects: number;
}

/** A search: its figures, and the smallest leak it found as text. */
export interface Found {
  readonly figures: Figures;
  readonly leak: string | null;
}

/** The two worlds of a case. */
export interface Plans {
  readonly left: Plan;
  readonly right: Plan;
}

export interface Search {
  readonly databases: readonly [Database, Database];
  readonly cases: number;
  readonly seed: number;
  /** Removes a guard from both projects, to see whether the search finds the leak. */
  readonly weaken?: (plan: Plan) => Plan;
  /** Whether a leak is made minimal; yes by default. */
  readonly shrinks?: boolean;
}

/** Searches for a request that shows a caller what is hidden from them, and shrinks the first to a minimal one. */
export async function searchLeak({ databases, cases, seed, weaken, shrinks = true }: Search): Promise<Found> {
  const figures: Figures = { seed, cases: 0, differing: 0, answered: 0, projects: 0 };
  const property = fc.asyncProperty(caseOf(EACH), async (one) => {
    const { left, right } = planOf(one);
    const plans = weaken === undefined ? { left, right } : { left: weaken(left), right: weaken(right) };
    const leak = await findLeak(one, plans, databases, figures);
    if (leak !== null) throw new Leak(tell(one, plans, leak));
  });
  for (let round = 0; figures.cases < cases; round += 1) {
    // Of each four rounds, one prefers the smallest projects and the others all kinds alike.
    const unbiased = round % 4 !== 0;
    const options = { seed: seedOfPart(seed, round), numRuns: ROUND, endOnFailure: !shrinks, unbiased };
    const { failed, errorInstance } = await fc.check(property, options);
    if (errorInstance instanceof Leak) return { figures, leak: errorInstance.message };
    if (failed) throw errorInstance;
  }
  return { figures, leak: null };
}

class Leak extends Error {}

interface Different {
  readonly probe: Probe;
  readonly here: Answer | undefined;
  readonly there: Answer | undefined;
}

async function findLeak(
  one: Case,
  { left, right }: Plans,
  databases: readonly [Database, Database],
  figures: Figures,
): Promise<Different | null> {
  const here = await openWorld(databases[0], left.files, left.statements);
  const there = await openWorld(databases[1], right.files, right.statements);
  const differ = one.history.length > 0 || one.mirrors || JSON.stringify(left) !== JSON.stringify(right);
  const [mine, its] = [here.admit(one.caller), there.admit(one.caller)];
  const second = there.admit(one.second);
  figures.projects += 1;
  for (const probe of one.history) await ask(there, one.sketch, second, probe);
  for (const probe of one.probes) {
    if (one.mirrors) await ask(there, one.sketch, second, probe);
    const answers = await ask(here, one.sketch, mine, probe);
    const others = await ask(there, one.sketch, its, probe);
    figures.cases += 1;
    if (differ) figures.differing += 1;
    if (answers.every(({ status, body }) => status === 200 && !FAILED.test(body))) figures.answered += 1;
    const most = Math.max(answers.length, others.length);
    for (let index = 0; index < most; index += 1) {
      const [answer, other] = [answers[index], others[index]];
      if (JSON.stringify(answer) !== JSON.stringify(other)) return { probe, here: answer, there: other };
    }
  }
  return null;
}

const FAILED = /"isError":true|"error":\{/;

/** A leak for a person: the project, what differs between the worlds, the request, and both answers. */
function tell(one: Case, { left, right }: Plans, { probe, here, there }: Different): string {
  const lines = (plan: Plan) => [
    ...plan.statements,
    ...Object.entries(plan.files).map(([path, text]) => `${path}: ${text}`),
  ];
  const [mine, its] = [lines(left), lines(right)];
  const { user, scopes } = one.caller;
  return [
    'A caller learns what is hidden from them.',
    `caller: ${JSON.stringify({ user, scopes })}`,
    'both worlds:',
    ...mine.filter((line) => its.includes(line)).map((line) => `    ${line}`),
    'the first world:',
    ...mine.filter((line) => !its.includes(line)).map((line) => `    ${line}`),
    'the second world:',
    ...its.filter((line) => !mine.includes(line)).map((line) => `    ${line}`),
    `the second user there: ${one.history.length === 0 && !one.mirrors ? 'none' : JSON.stringify({ ...one.second, mirrors: one.mirrors, history: one.history })}`,
    `the request: ${JSON.stringify(probe)}`,
    `the first answer: ${JSON.stringify(here, null, 1)}`,
    `the second answer: ${JSON.stringify(there, null, 1)}`,
  ].join('\n');
}
