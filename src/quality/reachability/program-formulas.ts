import type { User } from '../../context.ts';
import { toInputBindings } from '../../policy/cel/bindings.ts';
import { type Expr, parseCondition } from '../../policy/cel/expression.ts';
import { type CompiledRule, compileCondition, type PolicyScope, type Side } from '../../policy/compile.ts';
import type { Policies, PolicyRule } from '../../project/model.ts';
import { evaluateFormula, type World } from './assignments.ts';
import { type Formula, type Knowing, readsOf, toFormula } from './formula.ts';

/** A rule whose condition is a formula over values that are unknown before a call. */
export interface FormulaRule {
  readonly rule: PolicyRule;
  /** E.g. `input[0]`. */
  readonly name: string;
  readonly side: Side;
  readonly index: number;
  readonly formula: Formula;
}

/** The caller: a user, an unauthenticated caller (null), or any of these. */
type CallerKind = { readonly user: User | null } | 'anybody';

/** Converts the rules of an endpoint to formulas. A condition that cannot be parsed fails, which denies. */
export function toFormulaRules(
  policies: Policies,
  scope: PolicyScope,
  caller: CallerKind,
): readonly FormulaRule[] {
  return (['input', 'output'] as const).flatMap((side) => {
    const know = knowledgeOf(scope, caller);
    return policies[side].map((rule, index) => {
      const parsed = treeOf(rule);
      const formula: Formula =
        'problem' in parsed ? { kind: 'known', truth: 'fails' } : toFormula(parsed.expr, know);
      return { rule, name: `${side}[${index}]`, side, index, formula };
    });
  });
}

/** Parts that depend on nothing, or only on a known caller, are evaluated like in a call. */
function knowledgeOf(scope: PolicyScope, caller: CallerKind): Knowing {
  const user = caller === 'anybody' ? null : caller.user;
  const bindings = toInputBindings({ ...scope, parameters: [] }, {}, user);
  return (expr) => {
    const { needs, evaluate } = partOf(expr);
    if (needs === 'call' || (needs === 'caller' && caller === 'anybody')) return null;
    const verdict = evaluate(bindings, () => 0);
    if ('matched' in verdict) return verdict.matched;
    return verdict.odd ? 'value' : 'fails';
  };
}

/** Whether a rule ends the call under an assignment: it denies and its condition is true, or its condition fails. */
export function denies({ rule, formula }: FormulaRule, world: World): boolean {
  const truth = evaluateFormula(formula, world);
  return truth === 'fails' || (truth === true && rule.action === 'deny');
}

type Tree = ReturnType<typeof parseCondition>;
const trees = new WeakMap<PolicyRule, Tree>();

/** Parsed once for all callers. */
function treeOf(rule: PolicyRule): Tree {
  const known = trees.get(rule);
  if (known) return known;
  const tree = parseCondition(rule.condition);
  trees.set(rule, tree);
  return tree;
}

/** A part of a condition: the names that its value needs, and its evaluation. */
interface Part {
  readonly needs: 'nothing' | 'caller' | 'call';
  readonly evaluate: CompiledRule['evaluate'];
}

const parts = new WeakMap<Expr, Part>();

function partOf(expr: Expr): Part {
  const known = parts.get(expr);
  if (known) return known;
  const reads = readsOf(expr);
  const ofCaller = reads.every((read) => /^user(\.|$)/.test(read));
  const needs = reads.length === 0 ? 'nothing' : ofCaller ? 'caller' : 'call';
  const never = () => ({ failure: 'it needs a call' });
  const part: Part = { needs, evaluate: needs === 'call' ? never : compileCondition(expr) };
  parts.set(expr, part);
  return part;
}
