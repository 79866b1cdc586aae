import { nearestName } from '../types/nearest.ts';
import { FILTER_NAMES, filterOf } from './filters.ts';
import type { CallBlockNode, ForNode, MacroNode, Node, SetNode } from './node.ts';
import { parseTemplate, type TemplateIssue } from './parse.ts';
import { GLOBAL_NAMES } from './scope.ts';
import { isTest, TEST_NAMES } from './tests.ts';

/** A name that a template uses although nothing provides it. */
interface UnknownName {
  readonly kind: 'variable' | 'filter' | 'test' | 'form';
  readonly name: string;
}

/** The names of a block. A block also sees the names of the blocks around it. */
interface Names {
  readonly own: Set<string>;
  readonly outer: Names | null;
  readonly found: UnknownName[];
  readonly inLoop: boolean;
}

/** Finds faults of a template before it is rendered: wrong syntax, and names that nothing provides. Never throws. */
export function checkTemplate(text: string, declared: readonly string[]): readonly TemplateIssue[] {
  const parsed = parseTemplate(text);
  if ('issue' in parsed) return [parsed.issue];
  const unknown = unknownNames(parsed.program, declared);
  const first = new Map(unknown.map((each) => [`${each.kind} ${each.name}`, each]));
  return [...first.values()].map((each) => toIssue(each, text, declared));
}

function toIssue(unknown: UnknownName, text: string, declared: readonly string[]): TemplateIssue {
  const offset = offsetOf(unknown.name, text);
  return { ...explain(unknown, declared), ...(offset === null ? {} : { offset }) };
}

function explain({ kind, name }: UnknownName, declared: readonly string[]): { message: string; fix: string } {
  switch (kind) {
    case 'variable':
      return {
        message: `The template uses "${name}", which is not a parameter.`,
        fix: suggest(name, declared) ?? `Declare "${name}" under parameters, or set it in the template.`,
      };
    case 'filter':
      return {
        message: `There is no filter "${name}".`,
        fix: suggest(name, FILTER_NAMES) ?? `Use one of: ${FILTER_NAMES.join(', ')}.`,
      };
    case 'test':
      return {
        message: `There is no test "is ${name}".`,
        fix: suggest(name, TEST_NAMES) ?? `Use one of: ${TEST_NAMES.join(', ')}.`,
      };
    case 'form':
      return {
        message: `The template has ${name}.`,
        fix: 'Remove it, or put parentheses around the filtered value.',
      };
  }
}

function suggest(name: string, known: readonly string[]): string | null {
  const nearest = nearestName(name, known);
  return nearest === null ? null : `Did you mean "${nearest}"?`;
}

/** Finds where a name first occurs inside a tag. */
function offsetOf(name: string, text: string): number | null {
  if (!/^\w+$/.test(name)) return null;
  for (const tag of text.matchAll(/\{[{%][\s\S]*?[}%]\}/g)) {
    const word = new RegExp(`(?<![\\w.'"])${name}(?!\\w)`).exec(tag[0]);
    if (word !== null) return tag.index + word.index;
  }
  return null;
}

/** Finds every variable, filter and test that a template uses although nothing provides it, in order. */
function unknownNames(program: Node, declared: readonly string[]): readonly UnknownName[] {
  const names: Names = {
    own: new Set([...GLOBAL_NAMES, ...declared]),
    outer: null,
    found: [],
    inLoop: false,
  };
  visit(program, names);
  return names.found;
}

function within(outer: Names, own: readonly string[] = [], inLoop = outer.inLoop): Names {
  return { own: new Set(own), outer, found: outer.found, inLoop };
}

function isKnown(name: string, names: Names): boolean {
  return names.own.has(name) || (names.outer !== null && isKnown(name, names.outer));
}

function visitAll(nodes: readonly (Node | undefined | null)[], names: Names): void {
  for (const node of nodes) if (node) visit(node, names);
}

function visit(node: Node, names: Names): void {
  switch (node.type) {
    case 'For':
    case 'Set':
    case 'Macro':
    case 'CallStatement':
      visitBlock(node, names);
      break;
    case 'Break':
    case 'Continue':
      if (!names.inLoop) note(names, 'form', `{% ${node.type.toLowerCase()} %} outside of a loop`);
      break;
    case 'Identifier':
      if (!isKnown(node.value, names)) note(names, 'variable', node.value);
      break;
    case 'FilterExpression':
      visit(node.operand, names);
      visitFilter(node.filter, names);
      break;
    case 'FilterStatement':
      visitAll(node.body, names);
      visitFilter(node.filter, names);
      break;
    case 'TestExpression':
      visit(node.operand, names);
      if (!isTest(node.test.value)) note(names, 'test', node.test.value);
      break;
    default:
      visitAll(partsOf(node), names);
  }
}

function note(names: Names, kind: UnknownName['kind'], name: string): void {
  names.found.push({ kind, name });
}

/** Visits a statement that declares names. */
function visitBlock(node: ForNode | SetNode | MacroNode | CallBlockNode, names: Names): void {
  if (node.type === 'For') visitFor(node, names);
  else if (node.type === 'Set') {
    visitAll([node.value, ...node.body], names);
    if (node.assignee.type === 'MemberExpression') visit(node.assignee, names);
    for (const name of targetsOf(node.assignee)) names.own.add(name);
  } else if (node.type === 'Macro') {
    names.own.add(node.name.value);
    visitMacro(node.args, node.body, names);
  } else {
    visit(node.call, names);
    visitMacro(node.callerArgs ?? [], node.body, names);
  }
}

function visitFor({ iterable, loopvar, body, defaultBlock }: ForNode, names: Names): void {
  const conditional = iterable.type === 'SelectExpression' ? iterable : null;
  visit(conditional?.lhs ?? iterable, names);
  visitAll([conditional?.test, ...body], within(names, ['loop', ...targetsOf(loopvar)], true));
  visitAll(defaultBlock, within(names));
}

function visitMacro(parameters: readonly Node[], body: readonly Node[], names: Names): void {
  const own = parameters.flatMap((node) =>
    targetsOf(node.type === 'KeywordArgumentExpression' ? node.key : node),
  );
  const inner = within(names, ['varargs', 'kwargs', 'caller', ...own], false);
  for (const node of parameters) if (node.type === 'KeywordArgumentExpression') visit(node.value, inner);
  visitAll(body, inner);
}

function visitFilter(filter: Node, names: Names): void {
  const name = filter.type === 'CallExpression' ? filter.callee : filter;
  if (name.type !== 'Identifier') note(names, 'form', 'a filter that is more than a name');
  else if (filterOf(name.value) === undefined) note(names, 'filter', name.value);
  if (filter.type === 'CallExpression') visitAll(filter.args, names);
}

function targetsOf(target: Node): readonly string[] {
  if (target.type === 'Identifier') return [target.value];
  return target.type === 'TupleLiteral' ? target.value.flatMap(targetsOf) : [];
}

/** Returns the parts of a node that neither names anything nor opens a block. */
function partsOf(node: Node): readonly (Node | undefined)[] {
  switch (node.type) {
    case 'Program':
      return node.body;
    case 'If':
      return [node.test, ...node.body, ...node.alternate];
    case 'ArrayLiteral':
    case 'TupleLiteral':
      return node.value;
    case 'ObjectLiteral':
      return [...node.value].flat();
    case 'CallExpression':
      return [node.callee, ...node.args];
    case 'MemberExpression':
      return node.computed ? [node.object, node.property] : [node.object];
    case 'KeywordArgumentExpression':
      return [node.value];
    case 'BinaryExpression':
      return [node.left, node.right];
    case 'UnaryExpression':
    case 'SpreadExpression':
    case 'KeywordSpreadExpression':
      return [node.argument];
    case 'SelectExpression':
      return [node.lhs, node.test];
    case 'Ternary':
      return [node.condition, node.trueExpr, node.falseExpr];
    case 'SliceExpression':
      return [node.start, node.stop, node.step];
    default:
      return [];
  }
}
