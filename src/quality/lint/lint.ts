import type { Finding } from '../../project/finding.ts';
import type { Endpoint, EndpointFile } from '../../project/model.ts';
import { type Path, positionAt } from '../../project/yaml/position.ts';
import { hasDefault, type Parameter, type TypeNode } from '../../types/node.ts';

export const SEVERITIES = ['error', 'warning', 'info'] as const satisfies readonly Finding['severity'][];

/** A missing text at a path of an endpoint. */
interface Remark {
  readonly severity: Finding['severity'];
  readonly code: string;
  /** Keys from the endpoint to the incomplete node. */
  readonly path: Path;
  readonly message: string;
  readonly fix: string;
}

/** Lints the valid endpoint files. Disabled endpoints are skipped. */
export function lintProject(files: readonly EndpointFile[]): readonly Finding[] {
  return files.flatMap(({ file, endpoint, positions }) => {
    if (endpoint === null || !endpoint.enabled) return [];
    const found = lintEndpoint(endpoint).map(({ severity, code, path, message, fix }): Finding => {
      const place = positionAt(positions, [endpoint.kind, ...path]);
      return { severity, code, file, ...place, message, fix };
    });
    return found.toSorted((one, other) => one.line - other.line || one.column - other.column);
  });
}

/** Whether a finding is at least as grave as a severity. */
export function isAtLeast({ severity }: Finding, least: Finding['severity']): boolean {
  return SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(least);
}

/** Reports missing texts of an endpoint that its users, people and models, need. */
function lintEndpoint(endpoint: Endpoint): readonly Remark[] {
  return [
    ...lintWords(endpoint),
    ...(isSkill(endpoint) ? [] : lintTests(endpoint)),
    ...endpoint.parameters.flatMap((parameter, index) => lintParameter(parameter, ['parameters', index])),
    ...(endpoint.returns === null || isSkill(endpoint) ? [] : lintReturn(endpoint.returns, ['return'])),
    ...lintAnnotations(endpoint),
  ];
}

/** The text of a skill is its result, so it needs no test and no declared type. */
function isSkill(endpoint: Endpoint): boolean {
  return endpoint.kind === 'resource' && endpoint.skill !== undefined;
}

function lintWords({ kind, description, tags }: Endpoint): readonly Remark[] {
  return [
    ...(isBlank(description)
      ? [
          {
            severity: 'warning' as const,
            code: 'endpoint-description',
            path: [],
            message: `The ${kind} has no description, so clients cannot tell when to use it.`,
            fix: 'Describe its result in one sentence under `description`.',
          },
        ]
      : []),
    ...(tags.length === 0
      ? [
          {
            severity: 'info' as const,
            code: 'endpoint-tags',
            path: [],
            message: `The ${kind} has no tags.`,
            fix: 'Add `tags` to group it with others; clients can select groups by `/mcp?tags=…`.',
          },
        ]
      : []),
  ];
}

function lintTests({ kind, tests }: Endpoint): readonly Remark[] {
  const none: Remark = {
    severity: 'warning',
    code: 'endpoint-tests',
    path: [],
    message: `The ${kind} has no tests.`,
    fix: 'Add one under `tests`; `svc test` runs it.',
  };
  const unexplained = tests.flatMap(({ name, description }, index): readonly Remark[] =>
    isBlank(description)
      ? [
          {
            severity: 'info',
            code: 'test-description',
            path: ['tests', index],
            message: `The test ${name} has no description.`,
            fix: 'Describe under `description` which mistake it detects.',
          },
        ]
      : [],
  );
  return tests.length === 0 && kind !== 'prompt' ? [none] : unexplained;
}

function lintAnnotations(endpoint: Endpoint): readonly Remark[] {
  if (endpoint.kind !== 'tool' || Object.keys(endpoint.annotations).length > 0) return [];
  return [
    {
      severity: 'info',
      code: 'tool-annotations',
      path: [],
      message: 'The tool has no annotations.',
      fix: 'Add `annotations`, such as a `title` and `idempotentHint`; `readOnlyHint` follows from the SQL.',
    },
  ];
}

/** Reports missing texts of a parameter, which a model needs to fill it in. */
function lintParameter(parameter: Parameter, path: Path): readonly Remark[] {
  const { name } = parameter;
  return [
    ...(isBlank(parameter.description)
      ? [
          {
            severity: 'error' as const,
            code: 'parameter-description',
            path,
            message: `The parameter ${name} has no description, so a model has to guess its meaning.`,
            fix: 'Describe its meaning, with its unit or form, under `description`.',
          },
        ]
      : []),
    ...(hasExamples(parameter)
      ? []
      : [
          {
            severity: 'info' as const,
            code: 'parameter-examples',
            path,
            message: `The parameter ${name} has no examples.`,
            fix: 'Give one or two real values in `examples`.',
          },
        ]),
    ...(hasDefault(parameter)
      ? []
      : [
          {
            severity: 'info' as const,
            code: 'parameter-default',
            path,
            message: `The parameter ${name} has no default, so every call must send it.`,
            fix: 'Add `default` if a call without it makes sense; `default: null` makes it optional.',
          },
        ]),
  ];
}

/** An enum and a boolean show their values already. */
function hasExamples({ examples = [], enum: allowed, type }: TypeNode): boolean {
  return examples.length > 0 || allowed !== undefined || type === 'boolean';
}

/** Reports the parts of a result without a description, each once. */
function lintReturn(node: TypeNode, path: Path, what = 'The `return` type'): readonly Remark[] {
  const own: readonly Remark[] = isBlank(node.description)
    ? [
        {
          severity: 'warning',
          code: 'return-description',
          path,
          message: `${what} has no description.`,
          fix: 'Describe its content under `description`.',
        },
      ]
    : [];
  const items = node.items ? lintReturn(node.items, [...path, 'items'], itemsOf(path)) : [];
  const properties = Object.entries(node.properties ?? {}).flatMap(([name, property]) =>
    lintReturn(property, [...path, 'properties', name], `The property ${name} of the result`),
  );
  return [...own, ...items, ...properties];
}

function itemsOf(path: Path): string {
  const name = path.at(-2) === 'properties' ? ` of ${path.at(-1)}` : '';
  return `The type of the items${name}`;
}

/** Whether a text is missing or blank. */
function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === '';
}
