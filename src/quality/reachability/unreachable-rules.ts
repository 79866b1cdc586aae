import type { PolicyScope } from '../../policy/compile.ts';
import type { Policies } from '../../project/model.ts';
import {
  evaluateFormula,
  type TypeOf,
  typesOfInput,
  typesOfOutput,
  type World,
  worldsOf,
} from './assignments.ts';
import { denies, type FormulaRule, toFormulaRules } from './program-formulas.ts';

/** A rule without any effect, or rules that deny every call. */
export interface UnreachableIssue {
  readonly code: 'policy-unreachable' | 'policy-contradiction';
  /** Keys from the endpoint down. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly fix: string;
}

/** Reports rules that no call reaches, and rules that deny every call. Undecidable rules are not reported. */
export function checkReach(policies: Policies, scope: PolicyScope): readonly UnreachableIssue[] {
  const rules = toFormulaRules(policies, scope, 'anybody');
  const [input, output] = (['input', 'output'] as const).map((at) => rules.filter(({ side }) => side === at));
  const first = walk({
    rules: input ?? [],
    before: [],
    worlds: worldsOf(formulasOf(input), typesOfInput(scope)),
  });
  // Output rules share the caller with input rules but not the arguments. A parameter named `response` would
  // be confused with the result.
  const mixed = scope.parameters.some(({ name }) => name === 'response');
  const [ofInput, ofOutput] = [typesOfInput(scope), typesOfOutput(scope)];
  const typeOf: TypeOf = (keys) => ofInput(keys) ?? ofOutput(keys);
  const worlds = mixed || first.allDenied ? null : worldsOf(formulasOf(rules), typeOf);
  const second = walk({ rules: output ?? [], before: input ?? [], worlds });
  return [...first.problems, ...second.problems];
}

interface Walked {
  readonly problems: readonly UnreachableIssue[];
  readonly allDenied: boolean;
}

const NOTHING: Walked = { problems: [], allDenied: false };

function formulasOf(rules: readonly FormulaRule[] = []) {
  return rules.map(({ formula }) => formula);
}

function isTrue({ formula }: FormulaRule, world: World): boolean {
  return evaluateFormula(formula, world) === true;
}

function undenied(rules: readonly FormulaRule[], worlds: readonly World[]): readonly World[] {
  return worlds.filter((world) => !rules.some((rule) => denies(rule, world)));
}

interface Walk {
  readonly rules: readonly FormulaRule[];
  /** The rules that are evaluated earlier. */
  readonly before: readonly FormulaRule[];
  /** Null if there are too many assignments for an answer. */
  readonly worlds: readonly World[] | null;
}

/** Evaluates the rules of one side in their order, under all assignments at once. */
function walk({ rules, before, worlds }: Walk): Walked {
  if (worlds === null) return NOTHING;
  const problems: UnreachableIssue[] = [];
  let open = undenied(before, worlds);
  for (const [at, rule] of rules.entries()) {
    const own = worlds.filter((world) => isTrue(rule, world));
    const reached = open.filter((world) => isTrue(rule, world));
    const earlier = [...before, ...rules.slice(0, at)];
    if (own.length === 0) problems.push(never(rule, worlds));
    else if (reached.length === 0) problems.push(shadowed(rule, earlier, own));
    else problems.push(...hiddenAlready(rule, earlier, reached));
    open = open.filter((world) => !denies(rule, world));
    if (open.length === 0) {
      const denying = [...earlier, rule].filter((one) => worlds.some((world) => denies(one, world)));
      return { problems: [...problems, ...deniesAll(denying, rules.slice(at + 1))], allDenied: true };
    }
  }
  return { problems, allDenied: false };
}

const pathOf = ({ side, index }: FormulaRule) => ['policies', side, index, 'condition'];

/** Reports a condition that is never true. It may still fail for some calls, which denies them, but authors do not intend that. */
function never(rule: FormulaRule, worlds: readonly World[]): UnreachableIssue {
  const fails = worlds.some((world) => evaluateFormula(rule.formula, world) === 'fails');
  return {
    code: 'policy-unreachable',
    path: pathOf(rule),
    message: `The condition of ${rule.name} is never true${fails ? ', and denies the call if it fails' : ''}.`,
    fix: 'Correct the condition, or remove the rule.',
  };
}

/** The first earlier rules that together handle every call which this rule could handle. */
function shadowed(
  rule: FormulaRule,
  before: readonly FormulaRule[],
  own: readonly World[],
): UnreachableIssue {
  const takers = before.filter((other) => own.some((world) => denies(other, world)));
  const names = takers.map(({ name }) => name).join(' and ');
  return {
    code: 'policy-unreachable',
    path: pathOf(rule),
    message: `${rule.name} is never reached: ${names || 'the input rules'} denied every such call before.`,
    fix: 'Move the rule up, narrow the earlier one, or remove it.',
  };
}

/** A removed field cannot be masked. */
function hiddenAlready(
  { rule, name, side, index }: FormulaRule,
  before: readonly FormulaRule[],
  reached: readonly World[],
): readonly UnreachableIssue[] {
  const { fields = [], action } = rule;
  if ((action !== 'filter_fields' && action !== 'mask_fields') || fields.length === 0) return [];
  const isGone = (field: string, world: World) =>
    before.some(
      (other) =>
        (other.rule.action === 'filter_fields' || other.rule.action === action) &&
        other.rule.fields?.some((own) => own.toLowerCase() === field.toLowerCase()) &&
        isTrue(other, world),
    );
  if (!reached.every((world) => fields.every((field) => isGone(field, world)))) return [];
  return [
    {
      code: 'policy-unreachable',
      path: ['policies', side, index, 'fields'],
      message: `${name} changes nothing: earlier rules hide ${fields.join(', ')} wherever it acts.`,
      fix: 'Remove the rule, or the fields from the earlier one.',
    },
  ];
}

function deniesAll(
  denying: readonly FormulaRule[],
  rest: readonly FormulaRule[],
): readonly UnreachableIssue[] {
  const end = denying.at(-1);
  if (end === undefined) return [];
  const names = denying.map(({ name }) => name);
  const message =
    names.length === 1
      ? `${end.name} denies every call of every caller.`
      : `${names.join(' and ')} together deny every call of every caller.`;
  const fix = 'Change one of the conditions, or set `enabled: false` for the endpoint.';
  return [{ code: 'policy-contradiction', path: pathOf(end), message, fix }, ...rest.map(after)];
}

function after(rule: FormulaRule): UnreachableIssue {
  return {
    code: 'policy-unreachable',
    path: pathOf(rule),
    message: `${rule.name} is never reached: the rules above it deny every call.`,
    fix: 'Correct the rules above it, or remove it.',
  };
}
