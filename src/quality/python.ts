import { functionNameOf } from '../catalog/function-name.ts';
import type { JsonValue } from '../json.ts';
import { answerParameters } from '../project/elicitation-model.ts';
import type { Finding } from '../project/finding.ts';
import type { EndpointFile, ResourceEndpoint, ToolEndpoint } from '../project/model.ts';
import { type Path, positionAt } from '../project/yaml/position.ts';
import { formatOf } from '../types/formats.ts';
import { nearestName, suggestName } from '../types/nearest.ts';
import { hasDefault, type Parameter } from '../types/node.ts';

/** A parameter of a Python function, as written. */
interface PythonParameter {
  readonly name: string;
  readonly line: number;
  readonly column: number;
  /** Whether the parameter is positional only. */
  readonly positional: boolean;
  readonly required: boolean;
  /** Absent if the default is not a plain value. */
  readonly default?: JsonValue;
  /** The name of its annotation; null if there is none or it is not a plain name. */
  readonly type: string | null;
}

/** A Python function, as written. */
interface PythonFunction {
  readonly line: number;
  /** A decorator may replace the function's parameters. */
  readonly decorated: boolean;
  /** Whether the function accepts any other argument (`**kwargs`). */
  readonly open: boolean;
  readonly parameters: readonly PythonParameter[];
}

/** The content of a Python file, or the reason why it cannot be parsed. */
export type PythonFacts =
  | { readonly error: { readonly message: string; readonly line: number; readonly column: number } }
  | {
      readonly functions: { readonly [name: string]: PythonFunction };
      /** Other names that the module defines. */
      readonly names: readonly string[];
      /** Whether the module imports unknown names (`from x import *`). */
      readonly open: boolean;
    };

/** An endpoint in Python. */
interface PythonEndpoint {
  readonly file: EndpointFile;
  readonly endpoint: ToolEndpoint | ResourceEndpoint;
  /** The path of its Python file. */
  readonly source: string;
}

/** The served endpoints in Python. */
export function pythonEndpoints(files: readonly EndpointFile[]): readonly PythonEndpoint[] {
  return files.flatMap((file) => {
    const { endpoint } = file;
    if (endpoint === null || endpoint.kind === 'prompt' || !endpoint.enabled) return [];
    const { language, file: source } = endpoint.source;
    return language === 'python' && source !== null ? [{ file, endpoint, source }] : [];
  });
}

/** Checks whether each endpoint's function exists and accepts the declared parameters. */
export function checkPython(
  endpoints: readonly PythonEndpoint[],
  facts: { readonly [file: string]: PythonFacts },
): readonly Finding[] {
  const broken = Object.entries(facts).flatMap(([file, found]) =>
    'error' in found ? [toSyntaxFinding(file, found.error)] : [],
  );
  return [...broken, ...endpoints.flatMap((endpoint) => checkEndpoint(endpoint, facts[endpoint.source]))];
}

function toSyntaxFinding(
  file: string,
  { message, line, column }: { message: string; line: number; column: number },
): Finding {
  const text = `This is not valid Python: ${message}.`;
  return {
    severity: 'error',
    code: 'python-syntax',
    file,
    line,
    column,
    message: text,
    fix: 'Correct the line.',
  };
}

function checkEndpoint(
  { file, endpoint, source }: PythonEndpoint,
  facts: PythonFacts | undefined,
): readonly Finding[] {
  if (facts === undefined || 'error' in facts) return [];
  const name = functionNameOf(endpoint);
  const at = (path: Path) => ({ file: file.file, ...positionAt(file.positions, [endpoint.kind, ...path]) });
  const found = Object.hasOwn(facts.functions, name) ? facts.functions[name] : undefined;
  if (found === undefined) {
    if (facts.open || facts.names.includes(name)) return [];
    const known = Object.keys(facts.functions);
    const near = nearestName(name, known);
    return [
      {
        severity: 'error',
        code: 'python-function',
        ...at(['source', 'file']),
        message: `${source} has no function ${name}, which ${endpoint.name} calls.`,
        fix:
          near === null
            ? `Write \`def ${name}(…):\` into ${source}.`
            : `Did you mean ${near}? Name it ${name}.`,
      },
    ];
  }
  if (found.decorated) return [];
  const declared = [...endpoint.parameters, ...answerParameters(endpoint.ask)];
  return checkPythonParameters(found, declared).map(({ parameter, path, ...problem }) => ({
    severity: 'error',
    ...problem,
    ...(path === null
      ? { file: source, line: parameter?.line ?? found.line, column: parameter?.column ?? 1 }
      : at(path)),
  }));
}

/** An issue about one parameter. `path` points into the YAML; null means the Python file. */
interface ParameterIssue extends Pick<Finding, 'code' | 'message' | 'fix'> {
  readonly severity?: Finding['severity'];
  readonly path: Path | null;
  readonly parameter?: PythonParameter;
}

/** Compares a function's parameters with the declared ones. Calls pass every declared parameter by name, and no others. */
function checkPythonParameters(
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
  return {
    code: 'python-parameter',
    message: `The function has no parameter ${name}.`,
    fix: suggestName(name, free, 'Add it to the function, or remove it here.'),
    path: ['parameters', index, 'name'],
  };
}

function toUndeclared(parameter: PythonParameter, names: readonly string[]): ParameterIssue {
  return {
    code: 'python-parameter',
    message: `The function needs ${parameter.name}, which is not declared under \`parameters\`.`,
    fix: suggestName(parameter.name, names, 'Declare it there, or give it a default.'),
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
