import type { User } from '../context.ts';
import type { Policies, PolicyRule } from '../project/model.ts';
import { toInputBindings } from './bindings.ts';
import { compileCondition } from './compile.ts';
import { type Expr, parseCondition } from './expression.ts';
import { type Formula, type Knowing, readsOf, toFormula } from './formula.ts';
import type { PolicyScope, Side } from './scope.ts';

/** A rule whose condition is a formula over what is not known before a call. */
export interface FormulaRule {
  readonly rule: PolicyRule;
  /** E.g. `input[0]`. */
  readonly name: string;
  readonly side: Side;
  readonly index: number;
  readonly formula: Formula;
}

/** Who calls: somebody, nobody (null), or whoever it may be. */
export type Caller = { readonly user: User | null } | 'anybody';

/** The rules of an endpoint as formulas; a condition that cannot be read fails, which denies. */
export function toFormulaRules(
  policies: Policies,
  scope: PolicyScope,
  caller: Caller,
): readonly FormulaRule[] {
  return (['input', 'output'] as const).flatMap((side) => {
    const know = knowledgeOf(scope, caller);
    return policies[side].map((rule, index) => {
      const parsed = parseCondition(rule.condition);
      const formula: Formula =
        'problem' in parsed ? { kind: 'known', truth: 'fails' } : toFormula(parsed.expr, know);
      return { rule, name: `${side}[${index}]`, side, index, formula };
    });
  });
}

/** What depends on nothing, or on nothing but a caller who is known, is evaluated as a call would. */
function knowledgeOf(scope: PolicyScope, caller: Caller): Knowing {
  const user = caller === 'anybody' ? null : caller.user;
  const bindings = toInputBindings({ ...scope, parameters: [] }, {}, user);
  const isKnown = (expr: Expr) =>
    readsOf(expr).every((read) => caller !== 'anybody' && /^user(\.|$)/.test(read));
  return (expr) => {
    if (!isKnown(expr)) return null;
    const verdict = compileCondition(expr)(bindings, () => 0);
    return 'matched' in verdict ? verdict.matched : 'fails';
  };
}
