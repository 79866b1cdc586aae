import * as v from 'valibot';
import type { SourceIssue } from '../../project/issue.ts';
import { checkSchema } from '../../project/schema/issues.ts';
import type { Path } from '../../project/yaml/position.ts';
import type { YamlFile } from '../../project/yaml/yaml.ts';

/** An issue and the data path that it concerns. */
export type PathIssue = SourceIssue & { readonly path: Path };

/** Checks a file against a schema. Each issue has its path. */
export function checkTree(schema: v.GenericSchema, yaml: YamlFile): readonly PathIssue[] {
  const checked = checkSchema(schema, yaml);
  if (!('problems' in checked)) return [];
  const { issues = [] } = v.safeParse(schema, yaml.value);
  return checked.problems.map((problem, index) => ({ ...problem, path: pathOf(issues[index]) }));
}

/** The data path of a valibot issue. */
export function pathOf(issue: v.BaseIssue<unknown> | undefined): Path {
  return (issue?.path ?? []).map(({ key }) => key as string | number);
}
