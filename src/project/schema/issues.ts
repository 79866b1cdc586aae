import * as v from 'valibot';
import type { SourceIssue } from '../finding.ts';
import { type Path, positionAt, toPointer } from '../yaml/position.ts';
import type { YamlFile } from '../yaml/yaml.ts';

/** The value that a schema returned, or every issue. */
type Checked<T> = { readonly value: T } | { readonly problems: readonly SourceIssue[] };

/** Checks a YAML file against a schema. */
export function checkSchema<Schema extends v.GenericSchema>(
  schema: Schema,
  yaml: YamlFile,
): Checked<v.InferOutput<Schema>> {
  const result = v.safeParse(schema, yaml.value);
  if (result.success) return { value: result.output };
  return { problems: result.issues.map((issue) => toProblem(issue, yaml)) };
}

function toProblem(issue: v.BaseIssue<unknown>, yaml: YamlFile): SourceIssue {
  const [code = '', message = '', fix = ''] = issue.message.split('\n');
  const path = pathOf(issue);
  const key = issue.path?.at(-1)?.origin === 'key' ? yaml.keys[toPointer(path)] : undefined;
  return problemAt(yaml, path, { code, message, fix, ...(key ? { position: key } : {}) });
}

/** An issue about the node at a path. The message begins with the node's name. */
export function problemAt(
  yaml: YamlFile,
  path: Path,
  problem: Omit<SourceIssue, 'position'> & Partial<SourceIssue>,
): SourceIssue {
  return { position: positionAt(yaml.positions, path), ...problem, message: named(path, problem.message) };
}

/** Puts the node's name before a message; a whole sentence keeps its capital letter. */
function named(path: Path, message: string): string {
  const name = path.reduce<string>(
    (text, key) =>
      typeof key === 'number' ? `${text}[${key}]` : `${text}${text ? '.' : ''}${key.slice(0, 64)}`,
    '',
  );
  if (name === '') return /^[a-z]/.test(message) ? `The file ${message}` : message;
  return /^[a-z]/.test(message) ? `\`${name}\` ${message}` : `\`${name}\`: ${message}`;
}

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
