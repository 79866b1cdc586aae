import { createWriter, type Writer } from './budget.ts';
import { applyFilter, callValue, evaluate, toCall } from './evaluate.ts';
import type { CallBlockNode, ForNode, Node, SetNode } from './node.ts';
import { nest, type TemplateScope } from './scope.ts';
import {
  type Callable,
  isNamespace,
  isTemplateList,
  isTrue,
  kindNameOf,
  templateError,
  toItems,
  toTemplateText,
  type Value,
} from './value.ts';

/** Tells how a block ended: at its end, or with `break` or `continue`. */
type End = 'end' | 'break' | 'continue';

/** Runs a block and writes its text. */
export function execute(nodes: readonly Node[], scope: TemplateScope, writer: Writer): End {
  for (const node of nodes) {
    const end = executeNode(node, scope, writer);
    if (end !== 'end') return end;
  }
  return 'end';
}

function executeNode(node: Node, scope: TemplateScope, writer: Writer): End {
  scope.budget.step();
  switch (node.type) {
    case 'Comment':
      return 'end';
    case 'Break':
      return 'break';
    case 'Continue':
      return 'continue';
    case 'If':
      return execute(isTrue(evaluate(node.test, scope)) ? node.body : node.alternate, scope, writer);
    case 'For':
      executeFor(node, scope, writer);
      return 'end';
    case 'Set':
      executeSet(node, scope);
      return 'end';
    case 'Macro':
      scope.variables.set(node.name.value, createMacro(node.args, node.body, scope));
      return 'end';
    case 'CallStatement':
      writer.write(toTemplateText(executeCallBlock(node, scope), scope.budget));
      return 'end';
    case 'FilterStatement':
      writer.write(toTemplateText(applyFilter(capture(node.body, scope), node.filter, scope), scope.budget));
      return 'end';
    default:
      writer.write(toTemplateText(evaluate(node, scope), scope.budget));
      return 'end';
  }
}

function capture(nodes: readonly Node[], scope: TemplateScope): string {
  const writer = createWriter(scope.budget);
  execute(nodes, scope, writer);
  return writer.text();
}

function executeFor(node: ForNode, scope: TemplateScope, writer: Writer): void {
  const items = itemsOf(node, scope);
  scope.budget.step(items.length);
  if (items.length === 0) execute(node.defaultBlock, nest(scope), writer);
  for (const [index, item] of items.entries()) {
    const inner = nest(scope, [['loop', loopState(items, index)]]);
    assign(node.loopvar, item, inner);
    if (execute(node.body, inner, writer) === 'break') return;
  }
}

/** Returns the items of a loop. The parser makes the condition of `for x in items if x.ok` part of `items`. */
function itemsOf({ iterable, loopvar }: ForNode, scope: TemplateScope): readonly Value[] {
  if (iterable.type !== 'SelectExpression') return toItems(evaluate(iterable, scope));
  return toItems(evaluate(iterable.lhs, scope)).filter((item) => {
    const inner = nest(scope);
    assign(loopvar, item, inner);
    return isTrue(evaluate(iterable.test, inner));
  });
}

function loopState(items: readonly Value[], index: number): Value {
  const { length } = items;
  return {
    index: index + 1,
    index0: index,
    revindex: length - index,
    revindex0: length - index - 1,
    first: index === 0,
    last: index === length - 1,
    length,
    previtem: index === 0 ? undefined : items[index - 1],
    nextitem: items[index + 1],
    cycle: ({ positional }) => positional[index % Math.max(1, positional.length)],
  };
}

function executeSet({ assignee, value, body }: SetNode, scope: TemplateScope): void {
  assign(assignee, value === null ? capture(body, scope) : evaluate(value, scope), scope);
}

function assign(target: Node, value: Value, scope: TemplateScope): void {
  if (target.type === 'Identifier') scope.variables.set(target.value, value);
  else if (target.type === 'TupleLiteral') assignEach(target.value, value, scope);
  else if (target.type === 'MemberExpression' && target.property.type === 'Identifier') {
    const object = evaluate(target.object, scope);
    if (!isNamespace(object)) throw templateError(`${kindNameOf(object)} cannot be changed; use namespace()`);
    object.set(target.property.value, value);
  } else throw templateError('only a name can be set');
}

function assignEach(targets: readonly Node[], value: Value, scope: TemplateScope): void {
  if (!isTemplateList(value) || value.length !== targets.length) {
    throw templateError(`${kindNameOf(value)} cannot be unpacked into ${targets.length} names`);
  }
  for (const [index, target] of targets.entries()) assign(target, value[index], scope);
}

/** Creates a function that renders a body. The body sees the names of the place where the macro was defined. */
function createMacro(parameters: readonly Node[], body: readonly Node[], scope: TemplateScope): Callable {
  return (call) => {
    const inner = nest(scope, [
      ['varargs', call.positional.slice(parameters.length)],
      ['kwargs', Object.fromEntries(call.named)],
      ['caller', call.caller],
    ]);
    for (const [index, parameter] of parameters.entries()) {
      const keyed = parameter.type === 'KeywordArgumentExpression' ? parameter : null;
      const name = keyed === null ? nameOfParameter(parameter) : keyed.key.value;
      const given = index < call.positional.length ? call.positional[index] : call.named.get(name);
      inner.variables.set(name, given === undefined && keyed ? evaluate(keyed.value, inner) : given);
    }
    return scope.budget.call(() => capture(body, inner));
  };
}

function nameOfParameter(parameter: Node): string {
  if (parameter.type === 'Identifier') return parameter.value;
  throw templateError('a parameter of a macro must be a name');
}

function executeCallBlock({ call, callerArgs, body }: CallBlockNode, scope: TemplateScope): Value {
  const caller = createMacro(callerArgs ?? [], body, scope);
  return callValue(evaluate(call.callee, scope), { ...toCall(call.args, scope), caller });
}
