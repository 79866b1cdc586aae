import { foldName } from '../../project/fold-name.ts';
import type { TableRule } from '../../project/model.ts';
import { childrenOf, type Expr, parseCondition } from '../cel/expression.ts';
import { checkNames, referencesOf } from '../cel/names.ts';
import { compileRows, isNull } from '../tables/row-condition.ts';
import type { PolicyIssue } from './check.ts';
import { sampleIssue } from './sample.ts';

const NO_SCOPE = { kind: 'tool', parameters: [], returns: null } as const;

/** Checks the rules of `sql_tools.tables` without a database. Paths begin at the list. Never throws. */
export function checkTableRules(rules: readonly TableRule[]): readonly PolicyIssue[] {
  return rules.flatMap((rule, index) => [
    ...checkTo(rule).map((issue) => ({ ...issue, path: [index, 'to'] })),
    ...checkRows(rule).map((issue) => ({ ...issue, path: [index, 'rows'] })),
    ...checkOnce(rule).map((issue) => ({ ...issue, path: [index, 'mask'] })),
    ...checkReached(rules, index).map((issue) => ({ ...issue, path: [index, 'name'] })),
  ]);
}

/** The columns that the condition of a rule reads. */
export function columnsOfRows({ rows }: TableRule): readonly string[] {
  const parsed = rows === undefined ? { problem: null } : parseCondition(rows);
  return 'expr' in parsed ? columnsOf(parsed.expr) : [];
}

type Issue = Omit<PolicyIssue, 'path'>;

function columnsOf(expr: Expr): readonly string[] {
  return [...new Set(referencesOf(expr).map(({ name }) => name))].filter((name) => name !== 'user');
}

function checkTo({ to }: TableRule): readonly Issue[] {
  if (to === undefined) return [];
  const parsed = parseCondition(to);
  if ('problem' in parsed) return [parsed.problem];
  const names = checkNames(parsed.expr, ['user']);
  if (names.length > 0) return names;
  const sample = sampleIssue(to, parsed.expr, 'input', NO_SCOPE);
  return sample === null ? [] : [sample];
}

function checkRows({ rows }: TableRule): readonly Issue[] {
  if (rows === undefined) return [];
  const parsed = parseCondition(rows);
  if ('problem' in parsed) return [parsed.problem];
  const names = checkNames(parsed.expr, ['user', ...columnsOf(parsed.expr)]);
  if (names.length > 0) return names;
  const compiled = compileRows(parsed.expr);
  if ('issue' in compiled) return [compiled.issue];
  return comparesCaller(parsed.expr) ? [CALLER_COMPARED] : [];
}

const CALLER_COMPARED: Issue = {
  message: 'The condition compares `user`, which is the caller and no column of this name.',
  fix: 'Compare a fact about the caller, such as user.username. Show a column named "user" through a view that renames it.',
};

const COMPARING = ['_==_', '_!=_', '_<_', '_<=_', '_>_', '_>=_', '@in', 'startsWith', 'endsWith', 'contains'];

/** Whether a condition compares the caller as a whole, as in `user == 'ada'`. Such a comparison is the same for every row. */
function comparesCaller(expr: Expr): boolean {
  const { case: kind, value } = expr.exprKind;
  const [left, right] = childrenOf(expr);
  if (
    kind === 'callExpr' &&
    COMPARING.includes(value.function) &&
    left !== undefined &&
    right !== undefined
  ) {
    // `user != null` is true, and `'email' in user` asks for a fact.
    const sides = value.function === '@in' ? [left] : [left, right];
    if (sides.some(isCaller) && !isNull(left) && !isNull(right)) return true;
  }
  return childrenOf(expr).some(comparesCaller);
}

function isCaller({ exprKind: { case: kind, value } }: Expr): boolean {
  return kind === 'identExpr' && value.name === 'user';
}

function checkOnce({ hide = [], mask = [] }: TableRule): readonly Issue[] {
  const hidden = new Set(hide.map(foldName));
  return mask
    .filter((column) => hidden.has(foldName(column)))
    .map((column) => ({
      message: `The column "${column}" is under \`hide\` and under \`mask\`.`,
      fix: 'Keep it in one of them.',
    }));
}

/** Reports a rule after one for the same table that applies to every caller. */
function checkReached(rules: readonly TableRule[], index: number): readonly Issue[] {
  const { name = '' } = rules[index] ?? {};
  const same = (rule: TableRule) => foldName(rule.name) === foldName(name);
  const before = rules.slice(0, index).find((rule) => same(rule) && rule.to === undefined);
  if (before === undefined) return [];
  return [
    {
      message: `The rule never applies, because an earlier rule for ${name} has no \`to\`.`,
      fix: 'Put the rules with `to` first, or remove this one.',
    },
  ];
}
