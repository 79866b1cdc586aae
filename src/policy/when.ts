import type { User } from '../context.ts';
import type { JsonObject } from '../json.ts';
import type { Parameter } from '../types/node.ts';
import { toInputBindings } from './cel/bindings.ts';
import { type CompiledRule, compileCondition } from './compile.ts';

/** The values that a condition outside of a policy reads. */
export interface Circumstances {
  readonly parameters: readonly Parameter[];
  readonly values: JsonObject;
  readonly user: User | null;
  readonly now: () => number;
}

const conditions = new Map<string, CompiledRule['evaluate']>();
const MOST = 1_000;

/** Whether a condition over values is true; null if it cannot be evaluated. */
export function holds(condition: string, { parameters, values, user, now }: Circumstances): boolean | null {
  const bindings = toInputBindings({ kind: 'tool', parameters, returns: null }, values, user);
  const verdict = evaluatorOf(condition)(bindings, now);
  return 'matched' in verdict ? verdict.matched : null;
}

function evaluatorOf(condition: string): CompiledRule['evaluate'] {
  const known = conditions.get(condition);
  if (known !== undefined) return known;
  if (conditions.size >= MOST) conditions.clear();
  const evaluate = compileCondition(condition);
  conditions.set(condition, evaluate);
  return evaluate;
}
