import type { JsonValue } from '../json.ts';
import type { Finding } from '../project/finding.ts';
import type { Path } from '../project/yaml/position.ts';
import { formatOf } from '../types/formats.ts';
import { nearestName } from '../types/nearest.ts';
import type { Parameter } from '../types/node.ts';
import { hasDefault } from '../types/nullable.ts';
import type { PythonFunction, PythonParameter } from './python-facts.ts';

/** An issue about one parameter. `path` points into the YAML; null means the Python file. */
export interface ParameterIssue extends Pick<Finding, 'code' | 'message' | 'fix'> {
  readonly severity?: Finding['severity'];
  readonly path: Path | null;
  readonly parameter?: PythonParameter;
}

/** Compares a function's parameters with the declared ones. Calls pass every declared parameter by name, and no others. */
export function checkPythonParameters(
  found: PythonFunction,
  declared: readonly Parameter[],
): readonly ParameterIssue[] {
  const own = found.parameters.map(({ name }) => name);
  const names = declared.map(({ name }) => name);
  const untaken = declared.flatMap(({ name }, index) =>
    own.includes(name) || found.open
      ? []
      : [
          toUntaken(
            name,
            index,
            own.filter((one) => !names.includes(one)),
          ),
        ],
  );
  const others = found.parameters.flatMap((parameter) => {
    const index = names.indexOf(parameter.name);
    const node = declared[index];
    if (node === undefined) return parameter.required ? [toUndeclared(parameter, names)] : [];
    if (parameter.positional) return [toPositional(parameter)];
    return checkPair(parameter, node, index);
  });
  return [...untaken, ...others];
}

function toUntaken(name: string, index: number, free: readonly string[]): ParameterIssue {
  const near = nearestName(name, free);
  return {
    code: 'python-parameter',
    message: `The function has no parameter ${name}.`,
    fix: near === null ? 'Add it to the function, or remove it here.' : `Did you mean ${near}?`,
    path: ['parameters', index, 'name'],
  };
}

function toUndeclared(parameter: PythonParameter, names: readonly string[]): ParameterIssue {
  const near = nearestName(parameter.name, names);
  return {
    code: 'python-parameter',
    message: `The function needs ${parameter.name}, which is not declared under \`parameters\`.`,
    fix: near === null ? 'Declare it there, or give it a default.' : `Did you mean ${near}?`,
    path: null,
    parameter,
  };
}

function toPositional(parameter: PythonParameter): ParameterIssue {
  return {
    code: 'python-parameter',
    message: `${parameter.name} is positional only, but arguments are passed by name.`,
    fix: 'Remove the `/` from the parameters of the function.',
    path: null,
    parameter,
  };
}

function checkPair(parameter: PythonParameter, node: Parameter, index: number): readonly ParameterIssue[] {
  const { name } = parameter;
  const differs =
    hasDefault(node) && parameter.default !== undefined && !same(parameter.default, node.default ?? null);
  const annotations = node.format === undefined ? null : formatOf(node.format).python?.annotations;
  const wanted = annotations ?? TYPES[node.type];
  const odd = parameter.type !== null && KNOWN.has(parameter.type) && !wanted.includes(parameter.type);
  return [
    ...(differs
      ? [
          {
            severity: 'warning' as const,
            code: 'python-default',
            message: `The default of ${name} is ${JSON.stringify(node.default)} here and ${JSON.stringify(parameter.default)} in Python; the one here applies.`,
            fix: 'Make them equal, or remove the default in Python.',
            path: ['parameters', index, 'default'],
          },
        ]
      : []),
    ...(odd
      ? [
          {
            severity: 'warning' as const,
            code: 'python-type',
            message: `${name} is ${node.format ?? node.type} here, and \`${parameter.type}\` in Python.`,
            fix: `Annotate it as \`${wanted[0]}\`, or correct the type here.`,
            path: ['parameters', index, 'type'],
          },
        ]
      : []),
  ];
}

const TYPES: Readonly<Record<Parameter['type'], readonly string[]>> = {
  string: ['str'],
  integer: ['int', 'float'],
  number: ['float', 'int', 'Decimal'],
  boolean: ['bool'],
  array: ['list', 'List', 'Sequence', 'Iterable'],
  object: ['dict', 'Dict', 'Mapping'],
};

const KNOWN = new Set([
  'str',
  'int',
  'float',
  'bool',
  'list',
  'List',
  'dict',
  'Dict',
  'tuple',
  'set',
  'bytes',
]);

function same(one: JsonValue, other: JsonValue): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
