import type { Endpoint } from '../../project/model.ts';
import type { Remark } from './rule.ts';
import { isBlank, lintParameter, lintReturn } from './types.ts';

/** Reports missing texts of an endpoint that its users, people and models, need. */
export function lintEndpoint(endpoint: Endpoint): readonly Remark[] {
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
