import * as v from 'valibot';
import type { SourceIssue } from '../issue.ts';
import { type Path, positionAt, toPointer } from '../yaml/position.ts';
import type { YamlFile } from '../yaml/yaml.ts';

/** A value as its schema has it, or everything that is wrong with it. */
export type Checked<T> = { readonly value: T } | { readonly problems: readonly SourceIssue[] };

/** Holds a YAML file against a schema. */
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
  const path = (issue.path ?? []).map(({ key }) => key as string | number);
  const key = issue.path?.at(-1)?.origin === 'key' ? yaml.keys[toPointer(path)] : undefined;
  return problemAt(yaml, path, { code, message, fix, ...(key ? { position: key } : {}) });
}

/** A problem with the node at a path: its name before the message, its place beside it. */
export function problemAt(
  yaml: YamlFile,
  path: Path,
  problem: Omit<SourceIssue, 'position'> & Partial<SourceIssue>,
): SourceIssue {
  return { position: positionAt(yaml.positions, path), ...problem, message: named(path, problem.message) };
}

/** The name of the node before what is wrong with it; a whole sentence keeps its capital. */
function named(path: Path, message: string): string {
  const name = path.reduce<string>(
    (text, key) =>
      typeof key === 'number' ? `${text}[${key}]` : `${text}${text ? '.' : ''}${key.slice(0, 64)}`,
    '',
  );
  if (name === '') return /^[a-z]/.test(message) ? `The file ${message}` : message;
  return /^[a-z]/.test(message) ? `\`${name}\` ${message}` : `\`${name}\`: ${message}`;
}
