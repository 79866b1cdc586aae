import type { PromptEndpoint, ResourceEndpoint } from '../../project/model.ts';
import { scanParameters } from '../../sql/parameters.ts';
import { classify, statementsOf } from '../../sql/statement.ts';
import { nearestName, suggestName } from '../../types/nearest.ts';
import { TYPED_VALUE } from '../model.ts';
import type { CatalogIssue } from './check.ts';

/** Checks the SQL that completes an endpoint's parameters. */
export function checkCompletion({
  parameters,
  completion,
}: ResourceEndpoint | PromptEndpoint): readonly CatalogIssue[] {
  const declared = parameters.map(({ name }) => name);
  return Object.entries(completion).flatMap(([name, sql]) => {
    const path = ['completion', name];
    const fix = suggestName(name, declared, 'Name a declared parameter.');
    const unknown = declared.includes(name)
      ? []
      : [{ code: 'completion', message: `There is no parameter ${name}.`, fix, path }];
    return [
      ...unknown,
      ...checkSql(sql, declared).map((problem) => ({ code: 'completion', ...problem, path })),
    ];
  });
}

function checkSql(sql: string, declared: readonly string[]): readonly { message: string; fix: string }[] {
  const { names, problems } = scanParameters(sql);
  const [problem] = problems;
  if (problem !== undefined) return [{ message: `${problem.message}.`, fix: 'Correct the SQL.' }];
  if (statementsOf(sql).length !== 1 || classify(sql).mode !== 'read') {
    return [{ message: 'This is not a single read-only statement.', fix: 'Write a SELECT.' }];
  }
  const known = [...declared, TYPED_VALUE];
  return names
    .filter((name) => !known.includes(name))
    .map((name) => ({
      message: `The SQL uses $${name}, which is neither a parameter nor $${TYPED_VALUE}, the text that the user typed.`,
      fix: `Did you mean $${nearestName(name, known) ?? TYPED_VALUE}?`,
    }));
}
