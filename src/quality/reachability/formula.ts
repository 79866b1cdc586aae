import { isLongNumber } from '../../policy/cel/digits.ts';
import { childrenOf, type Expr } from '../../policy/cel/expression.ts';
import { referencesOf } from '../../policy/cel/names.ts';

/** The outcome of a condition; `fails` denies. */
export type Truth = boolean | 'fails';

/** The outcome of a part of a condition if it is known; `value` is neither true nor false. */
type KnownValues = Truth | 'value';

/** A constant in a comparison. */
export type Literal = string | number | boolean | null;

const COMPARISONS = ['_==_', '_!=_', '_<_', '_<=_', '_>_', '_>=_', '@in'] as const;

/** An operator. `@is` stands for a path that is used as a boolean itself. */
export type Comparison = (typeof COMPARISONS)[number] | '@is';

/** One name from outside, compared with constants. */
export interface Compare {
  readonly kind: 'compare';
  /** In the notation `user.role`, or `user.claims["a.b"]`. Equal texts are equal keys. */
  readonly path: string;
  /** E.g. `['user', 'role']`. */
  readonly keys: readonly string[];
  readonly by: Comparison;
  readonly values: readonly Literal[];
}

/** A condition as far as it is known without a call. */
export type Formula =
  | { readonly kind: 'known'; readonly truth: Truth }
  | { readonly kind: 'not'; readonly part: Formula }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly [Formula, Formula] }
  | { readonly kind: 'choice'; readonly test: Formula; readonly yes: Formula; readonly no: Formula }
  | Compare
  /** Any other condition. Equal texts are equal formulas. */
  | { readonly kind: 'opaque'; readonly key: string; readonly reads: readonly string[] };

/** Returns the outcome of a part of a condition; null if it is unknown. */
export type Knowing = (expr: Expr) => KnownValues | null;

/** Converts a condition to a formula over its unknowns. */
export function toFormula(expr: Expr, know: Knowing): Formula {
  const known = know(expr);
  if (known !== null) return { kind: 'known', truth: known === 'value' ? 'fails' : known };
  const { case: kind, value } = expr.exprKind;
  const [one, other, third] = kind === 'callExpr' ? value.args : [];
  const name = kind === 'callExpr' ? value.function : '';
  if (one && name === '!_') return { kind: 'not', part: toFormula(one, know) };
  if (one && other && (name === '_&&_' || name === '_||_')) {
    const parts = [toFormula(one, know), toFormula(other, know)] as const;
    return { kind: name === '_&&_' ? 'and' : 'or', parts };
  }
  if (one && other && third && name === '_?_:_') {
    const [test, yes, no] = [toFormula(one, know), toFormula(other, know), toFormula(third, know)];
    return { kind: 'choice', test, yes, no };
  }
  if (isFailing(expr, know)) return { kind: 'known', truth: 'fails' };
  return toCompare(expr) ?? { kind: 'opaque', key: keyOf(expr), reads: readsOf(expr) };
}

/** Whether a needed part fails regardless of the unknowns, as `user.claims.tenant` does without that claim. */
function isFailing(expr: Expr, know: Knowing): boolean {
  const known = know(expr);
  return known === null ? neededParts(expr).some((part) => isFailing(part, know)) : known === 'fails';
}

/** The parts that are always evaluated. Logical operators may skip an operand, and a loop may have no turns. */
function neededParts(expr: Expr): readonly Expr[] {
  const { case: kind, value } = expr.exprKind;
  if (kind === 'comprehensionExpr') return value.iterRange ? [value.iterRange] : [];
  if (kind === 'callExpr' && LOGIC.includes(value.function)) return [];
  return childrenOf(expr);
}

const LOGIC = ['_&&_', '_||_', '_?_:_', '@not_strictly_false'];

/** Recognizes `path == 'a'`, `'a' == path`, `path in ['a', 'b']`, `3 < path`, and a path alone. */
function toCompare(expr: Expr): Compare | null {
  const { case: kind, value } = expr.exprKind;
  if (kind !== 'callExpr') {
    return compareWith(pathOf(expr), '@is', [true, false]);
  }
  const by = COMPARISONS.find((known) => known === value.function);
  const [left, right] = value.args;
  if (by === undefined || left === undefined || right === undefined) return null;
  const straight = compareWith(pathOf(left), by, valuesOf(right, by));
  if (straight !== null || by === '@in') return straight;
  return compareWith(pathOf(right), TURNED[by] ?? by, valuesOf(left, by));
}

function compareWith(
  keys: readonly string[] | null,
  by: Comparison,
  values: readonly Literal[] | null,
): Compare | null {
  return keys && values && { kind: 'compare', path: toPathText(keys), keys, by, values };
}

function toPathText([root = '', ...keys]: readonly string[]): string {
  const parts = keys.map((key) => (/^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`));
  return `${root}${parts.join('')}`;
}

const TURNED: { readonly [by: string]: Comparison } = {
  '_<_': '_>_',
  '_<=_': '_>=_',
  '_>_': '_<_',
  '_>=_': '_<=_',
};

const UNORDERED: readonly Comparison[] = ['_==_', '_!=_', '@in'];

/** Recognizes `a`, `a.b`, `a['b']`, and returns the keys. */
function pathOf(expr: Expr): readonly string[] | null {
  const { case: kind, value } = expr.exprKind;
  if (kind === 'identExpr') return [value.name.replace(/^\./, '')];
  if (kind === 'selectExpr') {
    const base = value.operand && !value.testOnly ? pathOf(value.operand) : null;
    return base && [...base, value.field];
  }
  if (kind !== 'callExpr' || value.function !== '_[_]') return null;
  const [operand, index] = value.args;
  const [base, key] = [operand ? pathOf(operand) : null, index ? literalOf(index) : undefined];
  return base === null || typeof key !== 'string' ? null : [...base, key];
}

/** The constants of a comparison; null for ordered texts, because the texts between two others cannot be listed. */
function valuesOf(expr: Expr, by: Comparison): readonly Literal[] | null {
  const { case: kind, value } = expr.exprKind;
  const parts = by !== '@in' ? [expr] : kind === 'listExpr' ? value.elements : null;
  if (parts === null) return null;
  const values = parts.map(literalOf);
  const isUsable = (one: Literal | undefined) =>
    one !== undefined && (UNORDERED.includes(by) || typeof one === 'number');
  return values.every(isUsable) ? values.filter((one) => one !== undefined) : null;
}

function literalOf(expr: Expr): Literal | undefined {
  const constant = expr.exprKind.case === 'constExpr' ? expr.exprKind.value.constantKind : undefined;
  switch (constant?.case) {
    case 'stringValue':
      return isLongNumber(constant.value) ? undefined : constant.value;
    case 'doubleValue':
      // Beyond 2^53 a number equals the text of its digits.
      return Number.isInteger(constant.value) && !Number.isSafeInteger(constant.value)
        ? undefined
        : constant.value;
    case 'boolValue':
      return constant.value;
    case 'int64Value':
    case 'uint64Value':
      // Beyond 2^53 two different numbers could become equal, too.
      return Number.isSafeInteger(Number(constant.value)) ? Number(constant.value) : undefined;
    case 'nullValue':
      return null;
    default:
      return undefined;
  }
}

/** The text of a tree without its numbering. Equal texts are equal conditions. */
function keyOf(expr: Expr): string {
  return JSON.stringify(expr.exprKind, (key, value) => {
    if (key === 'id' || key === '$typeName') return undefined;
    return typeof value === 'bigint' ? `${value}n` : value;
  });
}

/** The names from outside that a part of a condition reads, with known keys, and `now()`. */
export function readsOf(expr: Expr): readonly string[] {
  const names = referencesOf(expr).map(({ name, key }) => (key === null ? name : `${name}.${key}`));
  return [...new Set([...names, ...(readsTime(expr) ? ['now()'] : [])])];
}

function readsTime(expr: Expr): boolean {
  const { case: kind, value } = expr.exprKind;
  return (kind === 'callExpr' && value.function === 'now') || childrenOf(expr).some(readsTime);
}
