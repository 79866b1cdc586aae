import { type CelList, isCelList } from '@bufbuild/cel';
import type { RowCondition, RowOperand, RowOperator } from '../../ports.ts';
import { isNumber, isSqlList, type SqlValue } from '../../sql-value.ts';
import { nearestName } from '../../types/nearest.ts';
import type { Bindings } from '../cel/bindings.ts';
import { type ConditionIssue, childrenOf, type Expr } from '../cel/expression.ts';
import { referencesOf } from '../cel/names.ts';
import { compileExpression } from '../compile.ts';

/** The caller's side of a condition: the values that its expressions read. */
export interface CallerValues {
  readonly bindings: Bindings;
  readonly now: () => number;
}

/** A condition over columns, ready for a caller. */
export type RowsFor = (caller: CallerValues) => RowCondition;

type Compiled = { readonly rowsFor: RowsFor } | { readonly issue: ConditionIssue };

/**
 * Compiles a condition over the columns of a table. CEL evaluates the parts that read no column, for each caller. The
 * rest becomes data that engines write as SQL, with SQL's logic: a comparison with an absent value is neither true nor
 * false, and the caller does not see the row.
 */
export function compileRows(expr: Expr): Compiled {
  try {
    return { rowsFor: toRows(expr) };
  } catch (thrown) {
    if (thrown instanceof NotInSql) return { issue: thrown.issue };
    throw thrown;
  }
}

/** Carries an issue out of the recursion. */
class NotInSql extends Error {
  readonly issue: ConditionIssue;

  constructor(message: string) {
    super(message);
    this.issue = { message, fix: FIX };
  }
}

const FIX =
  'Compare columns with ==, !=, <, <=, >, >=, `in`, startsWith, endsWith and contains, and combine with &&, || and !. For more, make a view and list it.';

const CALCULATES = 'The condition calculates with a column; only a column itself can be compared.';

const COMPARISONS: { readonly [name: string]: RowOperator } = {
  '_==_': '=',
  '_!=_': '<>',
  '_<_': '<',
  '_<=_': '<=',
  '_>_': '>',
  '_>=_': '>=',
  '@in': 'in',
};
const METHODS: { readonly [name: string]: RowOperator } = {
  startsWith: 'starts_with',
  endsWith: 'ends_with',
  contains: 'contains',
};

function readsColumns(expr: Expr): boolean {
  return referencesOf(expr).some(({ name }) => name !== 'user');
}

function toRows(expr: Expr): RowsFor {
  if (!readsColumns(expr)) return toKnown(expr);
  const { case: kind, value } = expr.exprKind;
  if (kind === 'identExpr') {
    const column = { column: value.name };
    return () => column;
  }
  if (kind !== 'callExpr')
    throw new NotInSql('The condition has a part about columns that SQL cannot evaluate.');
  if (value.function === '_&&_') return joined(value.args.map(toRows), 'every', false);
  if (value.function === '_||_') return joined(value.args.map(toRows), 'some', true);
  if (value.function === '!_') return negated(value.args.map(toRows)[0]);
  return toComparison(expr, value.function);
}

/** A part without columns: true, false, or null if it cannot be evaluated for this caller. */
function toKnown(expr: Expr): RowsFor {
  const evaluate = compileExpression(expr);
  return ({ bindings, now }) => {
    const value = evaluate(bindings, now);
    return { is: typeof value === 'boolean' ? value : null };
  };
}

/** Joins conditions. One that decides alone replaces them all, so that a caller who sees everything needs no copy. */
function joined(parts: readonly RowsFor[], kind: 'every' | 'some', decides: boolean): RowsFor {
  return (caller) => {
    const conditions = parts.map((rowsFor) => rowsFor(caller));
    const decided = conditions.find((one) => 'is' in one && one.is === decides);
    if (decided !== undefined) return decided;
    return kind === 'every' ? { every: conditions } : { some: conditions };
  };
}

function negated(part: RowsFor | undefined): RowsFor {
  return (caller) => {
    const condition: RowCondition = part?.(caller) ?? { is: null };
    if ('is' in condition) return { is: condition.is === null ? null : !condition.is };
    return { not: condition };
  };
}

function toComparison(expr: Expr, name: string): RowsFor {
  const [left, right] = childrenOf(expr);
  const operator = COMPARISONS[name] ?? METHODS[name];
  if (left === undefined || right === undefined || operator === undefined) {
    throw new NotInSql(`The condition uses ${name} on a column, which has no form in SQL here.`);
  }
  const test = missingTest(operator, [left, right]);
  if (test !== null) return test;
  const [one, other] = [toOperand(left), toOperand(right)];
  return (caller) => {
    const [first, second] = [one(caller), other(caller)];
    if (operator === 'in') return toMembership(first, second);
    const known = isPresent(first) && isPresent(second);
    return known ? { left: first, operator, right: second } : { is: null };
  };
}

/** `column == null` and `column != null`, where `null` is written. */
function missingTest(operator: RowOperator, operands: readonly [Expr, Expr]): RowsFor | null {
  if (operator !== '=' && operator !== '<>') return null;
  const [one, two] = operands;
  const [column, other] = readsColumns(one) ? [one, two] : [two, one];
  if (!isNull(other)) return null;
  const operand = toOperand(column);
  return (caller) => {
    const missing = { missing: operand(caller) };
    return operator === '=' ? missing : { not: missing };
  };
}

/** Whether a part of a condition is the word `null`. */
export function isNull({ exprKind: { case: kind, value } }: Expr): boolean {
  return kind === 'constExpr' && value.constantKind.case === 'nullValue';
}

function toOperand(expr: Expr): (caller: CallerValues) => RowOperand {
  const { case: kind, value } = expr.exprKind;
  if (readsColumns(expr)) {
    if (kind !== 'identExpr') {
      if (kind === 'selectExpr') throw fieldOf(expr);
      throw new NotInSql(CALCULATES);
    }
    const column = { column: value.name };
    return () => column;
  }
  const evaluate = compileExpression(expr);
  return ({ bindings, now }) => ({ value: toSqlValue(evaluate(bindings, now)) });
}

/** The error for a field of a column, or of a misspelt `user`. */
function fieldOf(expr: Expr): NotInSql {
  const [root] = referencesOf(expr);
  const near = root === undefined ? null : nearestName(root.name, ['user']);
  if (root === undefined || near === null || near === root.name) return new NotInSql(CALCULATES);
  return new NotInSql(
    `The condition reads a field of ${root.name}, which only \`user\` has. Did you mean user?`,
  );
}

function isPresent(operand: RowOperand): boolean {
  return 'column' in operand || operand.value !== null;
}

/**
 * Compares with the items of a list. As in SQL, a row is not outside of a list with an unknown item, or one of another kind.
 * Whole numbers stay apart from others: beside these, DuckDB would round them.
 */
function toMembership(item: RowOperand, list: RowOperand): RowCondition {
  if (!isPresent(item)) return { is: null };
  if ('column' in list) return { left: item, operator: 'in', right: list };
  if (!isSqlList(list.value)) return { is: null };
  const items = list.value.list.filter((one) => one !== null);
  const [first] = items;
  const kinds = isNumber(first) ? ['bigint', 'number'] : [typeof first];
  const groups = kinds
    .map((kind) => items.filter((one) => typeof one === kind))
    .filter(({ length }) => length > 0);
  const inside = groups.map((group): RowCondition => {
    return { left: item, operator: 'in', right: { value: { list: group } } };
  });
  const isKnown = groups.flat().length === list.value.list.length;
  return toSome(isKnown ? inside : [...inside, { is: null }]);
}

function toSome(conditions: readonly RowCondition[]): RowCondition {
  const [only, ...more] = conditions;
  if (only === undefined) return { is: false };
  return more.length === 0 ? only : { some: conditions };
}

/** A value as SQL takes it; null for one without such a form, which no row equals. */
function toSqlValue(value: unknown): SqlValue {
  if (typeof value === 'number') return toNumber(value);
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint') return value;
  if (!isCelList(value)) return null;
  return { list: Array.from({ length: value.size }, (_, index) => toItem(value, index)) };
}

/** An item of a list; null for a number that conditions cannot read. */
function toItem(list: CelList, index: number): SqlValue {
  try {
    return toSqlValue(list.get(index));
  } catch {
    return null;
  }
}

/** JSON has no integers. One beyond 2^53 may be another number than the provider sent, so it equals nothing. */
function toNumber(value: number): SqlValue {
  if (!Number.isInteger(value)) return Number.isFinite(value) ? value : null;
  return Number.isSafeInteger(value) ? BigInt(value) : null;
}
