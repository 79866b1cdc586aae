import { celEnv } from '@bufbuild/cel';
import { nearestName } from '../../types/nearest.ts';
import { USER_KEYS } from '../user.ts';
import { type ConditionIssue, childrenOf, type Expr } from './expression.ts';

/** The names of CEL's types. */
const TYPES = ['int', 'uint', 'double', 'bool', 'string', 'bytes', 'list', 'map', 'null_type', 'type'];
const OPERATORS = ['_?_:_', '_&&_', '_||_', '_[_]', '@not_strictly_false'];
const MACROS = ['has', 'all', 'exists', 'exists_one', 'map', 'filter'];
const FUNCTIONS = celEnv().funcs;

/** A name that a condition reads, with its key if known: `user`, `user.email`. */
export interface Reference {
  readonly name: string;
  readonly key: string | null;
}

/** Every name that a condition reads from outside. Loop variables are excluded. */
export function referencesOf(expr: Expr, bound: ReadonlySet<string> = new Set()): readonly Reference[] {
  const { case: kind, value } = expr.exprKind;
  if (kind === 'identExpr') return bound.has(value.name) ? [] : [{ name: value.name, key: null }];
  if (kind === 'comprehensionExpr') {
    const inner = new Set([...bound, value.iterVar, value.accuVar]);
    return childrenOf(expr).flatMap((child) =>
      referencesOf(child, child === value.iterRange ? bound : inner),
    );
  }
  const keyed = keyedReference(expr, bound);
  return keyed === null ? childrenOf(expr).flatMap((child) => referencesOf(child, bound)) : [keyed];
}

/** Reports names, keys of `user` and functions that do not exist, each once. */
export function checkNames(expr: Expr, known: readonly string[]): readonly ConditionIssue[] {
  const functions = unique(unknownFunctions(expr));
  // A misspelled macro leaves its loop variable behind as an unknown name.
  if (functions.some((name) => MACROS.includes(name))) return functions.map(unknownFunction);
  const references = referencesOf(expr);
  const unknown = references.filter(({ name }) => !known.includes(name) && !TYPES.includes(name));
  const keys = references.filter(
    ({ name, key }) => name === 'user' && key !== null && !USER_KEYS.includes(key),
  );
  return [
    ...unique(unknown.map(({ name }) => name)).map((name) => unknownName(name, known)),
    ...unique(keys.map(({ key }) => key ?? '')).map(unknownKey),
    ...functions.map(unknownFunction),
    ...(makesMessage(expr) ? [MESSAGE_PROBLEM] : []),
  ];
}

/** Recognizes `user.email`, `user['email']` and `has(user.email)`. */
function keyedReference(expr: Expr, bound: ReadonlySet<string>): Reference | null {
  const { case: kind, value } = expr.exprKind;
  if (kind === 'selectExpr') return toReference(value.operand, value.field, bound);
  if (kind !== 'callExpr' || value.function !== '_[_]') return null;
  const [operand, index] = value.args;
  const literal = index?.exprKind.case === 'constExpr' ? index.exprKind.value.constantKind : undefined;
  return literal?.case === 'stringValue' ? toReference(operand, literal.value, bound) : null;
}

function toReference(operand: Expr | undefined, key: string, bound: ReadonlySet<string>): Reference | null {
  if (operand?.exprKind.case !== 'identExpr') return null;
  const { name } = operand.exprKind.value;
  return bound.has(name) ? null : { name, key };
}

function unknownFunctions(expr: Expr): readonly string[] {
  const { case: kind, value } = expr.exprKind;
  const below = childrenOf(expr).flatMap(unknownFunctions);
  if (kind !== 'callExpr') return below;
  const name = value.function;
  const known = name === 'now' || OPERATORS.includes(name) || FUNCTIONS.find(name) !== undefined;
  return known ? below : [name, ...below];
}

function makesMessage(expr: Expr): boolean {
  const { case: kind, value } = expr.exprKind;
  return (kind === 'structExpr' && value.messageName !== '') || childrenOf(expr).some(makesMessage);
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}

function unknownName(name: string, known: readonly string[]): ConditionIssue {
  return {
    message: `The condition reads "${name}", which does not exist.`,
    fix: fixOf(name, known),
  };
}

function unknownKey(key: string): ConditionIssue {
  return {
    message: `The condition reads "user.${key}", which does not exist.`,
    fix: fixOf(
      `user.${key}`,
      USER_KEYS.map((known) => `user.${known}`),
    ),
  };
}

function fixOf(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === null ? `Use one of: ${known.join(', ')}.` : `Did you mean "${nearest}"?`;
}

function unknownFunction(name: string): ConditionIssue {
  const macro = MACROS.includes(name);
  return {
    message: macro
      ? `The condition calls ${name}() in a form that does not exist.`
      : `The condition calls ${name}(), which does not exist.`,
    fix: macro
      ? 'Write e.g. has(user.email), or list.all(item, item > 0) with a name of your own for the item.'
      : 'Use the functions of CEL (contains, startsWith, endsWith, matches, size, timestamp, duration ...) and now().',
  };
}

const MESSAGE_PROBLEM: ConditionIssue = {
  message: 'The condition makes a protocol-buffer message, which policies do not have.',
  fix: 'Use maps, lists, timestamp() and duration().',
};
