import type { Policies, PolicyRule } from '../../project/model.ts';
import { type ConditionIssue, parseCondition } from '../cel/expression.ts';
import { checkNames } from '../cel/names.ts';
import type { PolicyScope, Side } from '../compile.ts';
import { locateField } from '../paths.ts';
import { ruleIssue } from './rule.ts';
import { sampleIssue } from './sample.ts';

/** An issue of an endpoint's policies and its place in the endpoint. */
export interface PolicyIssue extends ConditionIssue {
  /** Keys from the endpoint down, e.g. `policies, input, 0, condition`. */
  readonly path: readonly (string | number)[];
}

/** Every check of policies that is possible without a call. Never throws. */
export function checkPolicies(policies: Policies, scope: PolicyScope): readonly PolicyIssue[] {
  const sides = ['input', 'output'] as const;
  return [
    ...shadowProblems(policies, scope),
    ...sides.flatMap((side) =>
      policies[side].flatMap((rule, index) =>
        checkRule(side, rule, scope).map(({ key, message, fix }) => ({
          path: ['policies', side, index, ...key],
          message,
          fix,
        })),
      ),
    ),
  ];
}

/** Reports rules about fields of `execute_sql_query`: its caller names the columns, so such a rule hides nothing. */
export function checkCallerColumns({ output }: Policies): readonly PolicyIssue[] {
  return output.flatMap(({ action }, index) =>
    action === 'deny'
      ? []
      : [
          {
            path: ['policies', 'output', index, 'action'],
            message: `${action} cannot hold here: the caller writes the statement, and \`SELECT salary AS s\` renames any column.`,
            fix: 'Hide columns and rows under `sql_tools.tables`.',
          },
        ],
  );
}

/** The type of `checkPolicies`, for callers that load it only if there are policies. */
export type CheckPolicies = typeof checkPolicies;

type KeyedProblem = ConditionIssue & { readonly key: readonly (string | number)[] };

function checkRule(side: Side, rule: PolicyRule, scope: PolicyScope): readonly KeyedProblem[] {
  const shape = ruleIssue(side, rule, scope.returns);
  const condition = checkCondition(side, rule.condition, scope);
  return [
    ...condition.map((problem) => ({ ...problem, key: ['condition'] })),
    ...(shape === null ? fieldProblems(rule, scope) : [{ ...shape, key: [shape.key] }]),
  ];
}

function checkCondition(side: Side, text: string, scope: PolicyScope): readonly ConditionIssue[] {
  const parsed = parseCondition(text);
  if ('problem' in parsed) return [parsed.problem];
  const names = checkNames(parsed.expr, namesOf(side, scope));
  if (names.length > 0) return names;
  const sample = sampleIssue(text, parsed.expr, side, scope);
  return sample === null ? [] : [sample];
}

function namesOf(side: Side, scope: PolicyScope): readonly string[] {
  return side === 'output' ? ['user', 'response'] : ['user', ...scope.parameters.map(({ name }) => name)];
}

function fieldProblems(
  { fields = [], action }: PolicyRule,
  { returns }: PolicyScope,
): readonly KeyedProblem[] {
  if (returns === null || action === 'deny') return [];
  return fields.flatMap((field, index) =>
    locateField(returns, field) === null ? [{ ...unknownField(field), key: ['fields', index] }] : [],
  );
}

function unknownField(field: string): ConditionIssue {
  return {
    message: `The field "${field}" is not part of \`return\`, so nothing would be hidden.`,
    fix: 'Correct the path (a.b goes into objects, arrays are walked through), or declare the field in `return`.',
  };
}

/** Reports parameters named `user`, which a condition could not tell from the caller. */
function shadowProblems({ input }: Policies, { parameters }: PolicyScope): readonly PolicyIssue[] {
  if (input.length === 0) return [];
  return parameters.flatMap(({ name }, index) =>
    name === 'user'
      ? [
          {
            path: ['parameters', index, 'name'],
            message:
              'Policy conditions cannot read the parameter "user", because there "user" means the caller.',
            fix: 'Give the parameter another name.',
          },
        ]
      : [],
  );
}
