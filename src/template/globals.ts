import type { Budget } from './budget.ts';
import { templateError } from './failure.ts';
import { argument, isDict, type TemplateCall, toNumber, type Value } from './value.ts';

const CONSTANTS: readonly (readonly [string, Value])[] = [
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
];

/** What every template can read and call. */
export function globalsOf(budget: Budget): readonly (readonly [string, Value])[] {
  return [
    ...CONSTANTS,
    ['range', (call) => range(call, budget)],
    ['dict', ({ positional, named }) => ({ ...fieldsOf(positional[0]), ...Object.fromEntries(named) })],
    ['namespace', ({ positional, named }) => new Map([...Object.entries(fieldsOf(positional[0])), ...named])],
  ];
}

/** The names of `globalsOf`. */
export const GLOBAL_NAMES: readonly string[] = [
  ...CONSTANTS.map(([name]) => name),
  'range',
  'dict',
  'namespace',
];

function fieldsOf(value: Value): { readonly [key: string]: Value } {
  if (value === undefined) return {};
  if (isDict(value)) return value;
  throw templateError('dict() and namespace() take an object or named values');
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
