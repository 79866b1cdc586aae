import type { Budget } from './budget.ts';
import { templateError } from './errors.ts';
import { argument, isDict, sizeOf, type TemplateCall, toNumber, type Value } from './value.ts';

const CONSTANTS: readonly (readonly [string, Value])[] = [
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
];

/** Returns the constants and functions that every template can use. */
export function globalsOf(budget: Budget): readonly (readonly [string, Value])[] {
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
