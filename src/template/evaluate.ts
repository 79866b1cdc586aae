import { filterOf, runFilter } from './filters.ts';
import { memberOf, sliceOf } from './methods.ts';
import type { MemberNode, Node, SliceNode } from './node.ts';
import { operate } from './operators.ts';
import { lookUp, type TemplateScope } from './scope.ts';
import { passes } from './tests.ts';
import {
  type Callable,
  isDict,
  isTemplateList,
  isTrue,
  kindNameOf,
  sizeOf,
  type TemplateCall,
  templateError,
  toNumber,
  type Value,
} from './value.ts';

/** Computes the value of an expression. */
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
      return passes(evaluate(node.operand, scope), node.test.value, undefined, scope.budget) !== node.negate;
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

/** Applies a filter to a value. The node holds the name of the filter and its arguments. */
export function applyFilter(value: Value, node: Node, scope: TemplateScope): Value {
  const called = node.type === 'CallExpression' ? node : null;
  const name = called === null ? node : called.callee;
  const filter = name.type === 'Identifier' ? filterOf(name.value) : undefined;
  if (filter === undefined) throw templateError('it uses a filter that does not exist');
  return runFilter(filter, value, toCall(called?.args ?? [], scope), scope.budget);
}

/** Evaluates the arguments of a call. */
export function toCall(nodes: readonly Node[], scope: TemplateScope): TemplateCall {
  const positional: Value[] = [];
  const named = new Map<string, Value>();
  for (const node of nodes) {
    if (node.type === 'KeywordArgumentExpression') named.set(node.key.value, evaluate(node.value, scope));
    else if (node.type === 'SpreadExpression')
      positional.push(...listOf(evaluate(node.argument, scope), scope));
    else if (node.type === 'KeywordSpreadExpression') {
      for (const [key, value] of fieldsOf(evaluate(node.argument, scope), scope)) named.set(key, value);
    } else positional.push(evaluate(node, scope));
  }
  return { positional, named };
}

/** Calls a macro, a method or a global function. */
export function callValue(callee: Value, call: TemplateCall): Value {
  if (typeof callee !== 'function') throw templateError(`${kindNameOf(callee)} cannot be called`);
  return (callee as Callable)(call);
}

function evaluateMember({ object, property, computed }: MemberNode, scope: TemplateScope): Value {
  const value = evaluate(object, scope);
  if (property.type === 'SliceExpression') return sliceOf(value, boundsOf(property, scope), scope.budget);
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

function keyOf(node: Node, scope: TemplateScope): string {
  const key = evaluate(node, scope);
  if (typeof key !== 'string' && typeof key !== 'number')
    throw templateError(`${kindNameOf(key)} cannot be a key`);
  return String(key);
}

function listOf(value: Value, { budget }: TemplateScope): readonly Value[] {
  if (!isTemplateList(value)) throw templateError('* needs a list');
  budget.step(value.length);
  return value;
}

function fieldsOf(value: Value, { budget }: TemplateScope): readonly (readonly [string, Value])[] {
  if (!isDict(value)) throw templateError('** needs an object');
  budget.step(sizeOf(value));
  return Object.entries(value);
}
