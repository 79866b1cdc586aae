import * as v from 'valibot';
import type { SourceIssue } from '../../project/issue.ts';
import { checkSchema } from '../../project/schema/issues.ts';
import type { Path } from '../../project/yaml/position.ts';
import type { YamlFile } from '../../project/yaml/yaml.ts';

/** A problem, and the path of data that it is about. */
export type PathIssue = SourceIssue & { readonly path: Path };

/** Holds a file against a schema; each problem with its path. */
export function checkTree(schema: v.GenericSchema, yaml: YamlFile): readonly PathIssue[] {
  const checked = checkSchema(schema, yaml);
  if (!('problems' in checked)) return [];
  const { issues = [] } = v.safeParse(schema, yaml.value);
  return checked.problems.map((problem, index) => ({ ...problem, path: pathOf(issues[index]) }));
}

/** The path of an issue in the data. */
export function pathOf(issue: v.BaseIssue<unknown> | undefined): Path {
  return (issue?.path ?? []).map(({ key }) => key as string | number);
}
