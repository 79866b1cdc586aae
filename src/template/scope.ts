import type { Budget } from './budget.ts';
import { argument, isDict, sizeOf, type TemplateCall, templateError, toNumber, type Value } from './value.ts';

/** The names that a place in a template can see. */
export interface TemplateScope {
  readonly variables: Map<string, Value>;
  readonly parent: TemplateScope | null;
  readonly budget: Budget;
}

const CONSTANTS: readonly (readonly [string, Value])[] = [
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
];

/** Creates the outermost scope, in which the given variables hide global names. */
export function createScope(variables: { readonly [name: string]: Value }, budget: Budget): TemplateScope {
  const globals: TemplateScope = { variables: new Map(globalsOf(budget)), parent: null, budget };
  return { variables: new Map(Object.entries(variables)), parent: globals, budget };
}

/** Creates a scope inside another. Names set in it are not visible outside. */
export function nest(
  parent: TemplateScope,
  variables: Iterable<readonly [string, Value]> = [],
): TemplateScope {
  return { variables: new Map(variables), parent, budget: parent.budget };
}

/** Returns the value of a name, or undefined if it has none. */
export function lookUp(scope: TemplateScope, name: string): Value {
  for (let at: TemplateScope | null = scope; at !== null; at = at.parent) {
    if (at.variables.has(name)) return at.variables.get(name);
  }
  return undefined;
}

/** Returns the constants and functions that every template can use. */
function globalsOf(budget: Budget): readonly (readonly [string, Value])[] {
  return [
    ...CONSTANTS,
    ['range', (call) => range(call, budget)],
    ['dict', (call) => Object.fromEntries(fieldsOf(call, budget))],
    ['namespace', (call) => new Map(fieldsOf(call, budget))],
  ];
}

/** The names that `globalsOf` returns. */
export const GLOBAL_NAMES: readonly string[] = [
  ...CONSTANTS.map(([name]) => name),
  'range',
  'dict',
  'namespace',
];

/** Copies the fields of an object, if one is given, and the named arguments. */
function fieldsOf(
  { positional: [source], named }: TemplateCall,
  budget: Budget,
): readonly (readonly [string, Value])[] {
  if (source === undefined) return [...named];
  if (!isDict(source)) throw templateError('dict() and namespace() need an object or named values');
  budget.step(sizeOf(source));
  return [...Object.entries(source), ...named];
}

function range(call: TemplateCall, budget: Budget): Value {
  const first = toNumber(argument(call, 0, 'start'));
  const second = argument(call, 1, 'stop');
  const [start, stop] = second === undefined ? [0, first] : [first, toNumber(second)];
  const step = toNumber(argument(call, 2, 'step') ?? 1);
  if (step === 0) throw templateError('the step of range() is 0');
  const length = Math.max(0, Math.ceil((stop - start) / step));
  budget.step(length);
  return Array.from({ length }, (_, index) => start + index * step);
}
