import type { User } from '../../context.ts';
import type { JsonObject, JsonValue } from '../../json.ts';
import { formatOf } from '../../types/formats.ts';
import type { TypeNode } from '../../types/node.ts';
import { type Bindings, toInputBindings, toOutputBindings } from '../cel/bindings.ts';
import type { ConditionIssue, Expr } from '../cel/expression.ts';
import { referencesOf } from '../cel/names.ts';
import { compileCondition, type PolicyScope, type Side, type Verdict } from '../compile.ts';

const SOMEBODY: User = {
  id: 'u-1',
  username: 'someone',
  email: 'someone@example.com',
  name: 'Someone',
  provider: 'sample',
  role: 'member',
  permissions: ['read'],
  groups: ['staff'],
  capabilities: ['read'],
  claims: {},
  externalToken: null,
};

const SAMPLE_TIME = Date.UTC(2026, 0, 31, 12);

/** Evaluates a condition on sample values. Reports a result that is not a boolean, and a condition that always fails. */
export function sampleIssue(text: string, expr: Expr, side: Side, scope: PolicyScope): ConditionIssue | null {
  const evaluate = compileCondition(text);
  const verdicts = [SOMEBODY, null].map((user) =>
    evaluate(sampleBindings(side, scope, user), () => SAMPLE_TIME),
  );
  if (verdicts.some((verdict) => 'matched' in verdict)) return null;
  const [odd] = verdicts.filter((verdict) => 'odd' in verdict).flatMap(failureOf);
  if (odd !== undefined) return notBoolean(odd);
  const failures = verdicts.flatMap(failureOf);
  const typed = failures.every((each) => /no matching overload|type mismatch/.test(each));
  return typed && isFullyTyped(expr, side, scope) ? neverAnswered(failures[0] ?? '') : null;
}

function failureOf(verdict: Verdict): readonly string[] {
  return 'failure' in verdict ? [verdict.failure] : [];
}

function notBoolean(failure: string): ConditionIssue {
  return {
    message: `${failure.charAt(0).toUpperCase()}${failure.slice(1)}.`,
    fix: "Compare it with something, e.g. user.role == 'admin' or size(user.groups) > 0.",
  };
}

function neverAnswered(failure: string): ConditionIssue {
  return {
    message: `The condition cannot be evaluated: ${failure}.`,
    fix: 'Compare values of one type; convert with int(), double(), string() or timestamp().',
  };
}

function sampleBindings(side: Side, scope: PolicyScope, user: User | null): Bindings {
  if (side === 'output') return toOutputBindings(scope, sampleOf(scope.returns ?? { type: 'array' }), user);
  const args = scope.parameters.map((node) => [node.name, sampleOf(node)] as const);
  return toInputBindings(scope, Object.fromEntries(args), user);
}

function sampleOf(node: TypeNode): JsonValue {
  const given = node.enum?.[0] ?? node.default ?? node.examples?.[0];
  if (given !== undefined && given !== null) return given;
  switch (node.type) {
    case 'string':
      return node.format === undefined ? 'text' : formatOf(node.format).example;
    case 'integer':
      return node.minimum ?? 1;
    case 'number':
      return node.minimum ?? 1.5;
    case 'boolean':
      return true;
    case 'array':
      return node.items === undefined ? [] : [sampleOf(node.items)];
    case 'object':
      return sampleObject(node);
  }
}

function sampleObject(node: TypeNode): JsonObject {
  const properties = Object.entries(node.properties ?? {});
  return Object.fromEntries(properties.map(([name, property]) => [name, sampleOf(property)]));
}

/** Whether all names in the condition have declared types, so that one sample represents every value. */
function isFullyTyped(expr: Expr, side: Side, scope: PolicyScope): boolean {
  return referencesOf(expr).every(({ name, key }) => {
    if (name === 'user') return key !== 'claims' && key !== null;
    const node = side === 'output' ? scope.returns : scope.parameters.find((each) => each.name === name);
    return node !== null && node !== undefined && isTyped(node);
  });
}

function isTyped(node: TypeNode): boolean {
  if (node.type === 'array') return node.items !== undefined && isTyped(node.items);
  if (node.type !== 'object') return true;
  return node.properties !== undefined && Object.values(node.properties).every(isTyped);
}
