import { templateError } from './failure.ts';
import { filterOf } from './filters.ts';
import { memberOf, sliceOf } from './methods.ts';
import type { MemberNode, Node, SliceNode } from './node.ts';
import { operate } from './operators.ts';
import { lookUp, type TemplateScope } from './scope.ts';
import { testOf } from './tests.ts';
import {
  type Callable,
  isDict,
  isTemplateList,
  isTrue,
  kindNameOf,
  type TemplateCall,
  toNumber,
  type Value,
  weigh,
} from './value.ts';

/** The value of an expression. */
export function evaluate(node: Node, scope: TemplateScope): Value {
  scope.budget.step();
  switch (node.type) {
    case 'StringLiteral':
    case 'IntegerLiteral':
    case 'FloatLiteral':
      return node.value;
    case 'Identifier':
      return lookUp(scope, node.value);
    case 'ArrayLiteral':
    case 'TupleLiteral':
      return node.value.map((item) => evaluate(item, scope));
    case 'ObjectLiteral':
      return Object.fromEntries(
        [...node.value].map(([key, value]) => [keyOf(key, scope), evaluate(value, scope)]),
      );
    case 'MemberExpression':
      return evaluateMember(node, scope);
    case 'CallExpression':
      return callValue(evaluate(node.callee, scope), toCall(node.args, scope));
    case 'FilterExpression':
      return applyFilter(evaluate(node.operand, scope), node.filter, scope);
    case 'TestExpression':
      return test(node.test.value, evaluate(node.operand, scope), scope) !== node.negate;
    case 'SelectExpression':
      return isTrue(evaluate(node.test, scope)) ? evaluate(node.lhs, scope) : undefined;
    case 'Ternary':
      return evaluate(isTrue(evaluate(node.condition, scope)) ? node.trueExpr : node.falseExpr, scope);
    case 'UnaryExpression':
      return evaluateUnary(node.operator.value, evaluate(node.argument, scope));
    case 'BinaryExpression':
      return evaluateBinary(node.operator.value, node.left, node.right, scope);
    default:
      throw templateError(`${node.type} has no value`);
  }
}

/** A value through a filter, whose arguments are part of the node. */
export function applyFilter(value: Value, node: Node, scope: TemplateScope): Value {
  const called = node.type === 'CallExpression' ? node : null;
  const name = called === null ? node : called.callee;
  const filter = name.type === 'Identifier' ? filterOf(name.value) : undefined;
  if (filter === undefined) throw templateError('it uses a filter that does not exist');
  scope.budget.step(weigh(value));
  const result = filter(value, toCall(called?.args ?? [], scope), scope.budget);
  scope.budget.step(weigh(result));
  return result;
}

/** The arguments of a call, evaluated. */
export function toCall(nodes: readonly Node[], scope: TemplateScope): TemplateCall {
  const positional: Value[] = [];
  const named = new Map<string, Value>();
  for (const node of nodes) {
    if (node.type === 'KeywordArgumentExpression') named.set(node.key.value, evaluate(node.value, scope));
    else if (node.type === 'SpreadExpression') positional.push(...listOf(evaluate(node.argument, scope)));
    else if (node.type === 'KeywordSpreadExpression') {
      for (const [key, value] of fieldsOf(evaluate(node.argument, scope))) named.set(key, value);
    } else positional.push(evaluate(node, scope));
  }
  return { positional, named };
}

/** Calls what can be called. */
export function callValue(callee: Value, call: TemplateCall): Value {
  if (typeof callee !== 'function') throw templateError(`${kindNameOf(callee)} cannot be called`);
  return (callee as Callable)(call);
}

function evaluateMember({ object, property, computed }: MemberNode, scope: TemplateScope): Value {
  const value = evaluate(object, scope);
  if (property.type === 'SliceExpression') return sliceOf(value, boundsOf(property, scope));
  const key = !computed && property.type === 'Identifier' ? property.value : evaluate(property, scope);
  return memberOf(value, key, scope.budget);
}

function boundsOf({ start, stop, step }: SliceNode, scope: TemplateScope): readonly [Value, Value, Value] {
  const bound = (node: Node | undefined): Value => (node === undefined ? undefined : evaluate(node, scope));
  return [bound(start), bound(stop), bound(step)];
}

function evaluateUnary(operator: string, value: Value): Value {
  if (operator === 'not') return !isTrue(value);
  return operator === '-' ? -toNumber(value) : toNumber(value);
}

function evaluateBinary(operator: string, left: Node, right: Node, scope: TemplateScope): Value {
  const first = evaluate(left, scope);
  if (operator === 'and') return isTrue(first) ? evaluate(right, scope) : first;
  if (operator === 'or') return isTrue(first) ? first : evaluate(right, scope);
  return operate(operator, first, evaluate(right, scope), scope.budget);
}

function test(name: string, value: Value, { budget }: TemplateScope): boolean {
  const asked = testOf(name);
  if (asked === undefined) throw templateError(`there is no test ${name}`);
  return asked(value, undefined, budget);
}

function keyOf(node: Node, scope: TemplateScope): string {
  const key = evaluate(node, scope);
  if (typeof key !== 'string' && typeof key !== 'number') throw templateError(`${kindNameOf(key)} is no key`);
  return String(key);
}

function listOf(value: Value): readonly Value[] {
  if (isTemplateList(value)) return value;
  throw templateError('* takes a list');
}

function fieldsOf(value: Value): readonly (readonly [string, Value])[] {
  if (isDict(value)) return Object.entries(value);
  throw templateError('** takes an object');
}
