import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { type Finding, type SourceIssue, toFindings } from '../project/finding.ts';
import { checkTree, type PathIssue } from '../project/schema/issues.ts';
import { decodeText } from '../project/yaml/decode.ts';
import { positionAt, toPointer } from '../project/yaml/position.ts';
import { parseYaml, type YamlFile } from '../project/yaml/yaml.ts';
import { suggestName } from '../types/nearest.ts';
import type { Selected } from './active.ts';
import { valueAt } from './effective/tree.ts';
import { parseReferences } from './references/reference.ts';
import { USER_FILE } from './schema/user.ts';

/** The user file with checked keys; its references are not resolved yet. */
export interface UserFile {
  /** The name in findings. */
  readonly name: string;
  readonly yaml: YamlFile;
}

/** The user file, null if it has errors, and every finding. */
export interface ReadUserFile {
  readonly user: UserFile | null;
  readonly findings: readonly Finding[];
}

const MAX_BYTES = 1_048_576;

/** Parses and checks the user file. Values with references are checked after resolution. */
export function readUserFile(bytes: Uint8Array, name: string): ReadUserFile {
  const failed = (problems: readonly SourceIssue[]) => ({ user: null, findings: toFindings(name, problems) });
  if (bytes.length > MAX_BYTES) return failed([TOO_LARGE]);
  const decoded = decodeText(bytes);
  if ('problem' in decoded) return failed([decoded.problem]);
  const parsed = parseYaml(decoded.text);
  if ('problems' in parsed) return failed(parsed.problems.map(withoutText));
  const { yaml } = parsed;
  const problems = checkTree(USER_FILE, yaml).filter((problem) => !excused(problem, yaml));
  return problems.length > 0 ? failed(problems) : { user: { name, yaml }, findings: [] };
}

const TOO_LARGE: SourceIssue = {
  code: 'file-size',
  message: `The file has more than ${MAX_BYTES} bytes.`,
  fix: 'Make it smaller.',
  position: { line: 1, column: 1 },
};

/** Replaces the parser's message, which may quote a line with a password. */
function withoutText(problem: SourceIssue): SourceIssue {
  if (problem.code === 'file-empty') return { ...problem, fix: 'Add `svc: 1`, or delete the file.' };
  if (problem.code !== 'yaml-syntax') return problem;
  return { ...problem, message: 'The YAML is not valid at this position.' };
}

/**
 * A value that contains a reference is not known yet, so its issues do not count. A text may stand for a list of one item, and
 * its issues are those of the item.
 */
function excused({ path }: PathIssue, { value }: YamlFile): boolean {
  const found = valueAt(value, path) ?? (path.at(-1) === 0 ? valueAt(value, path.slice(0, -1)) : undefined);
  return typeof found === 'string' && parseReferences(found).kind !== 'literal';
}

/** Reports a project or a profile that the user file lacks, if it has others. */
export function checkSelectedNames(
  { name, yaml }: UserFile,
  { project, profile }: Selected,
): readonly Finding[] {
  const projects = childOf(yaml.value, 'projects');
  const known = Object.keys(projects);
  if (known.length === 0) return [];
  if (!known.includes(project)) return toFindings(name, [unknown(yaml, ['projects'], project, known)]);
  const profiles = Object.keys(childOf(projects[project], 'profiles'));
  if (profiles.length === 0 || profiles.includes(profile)) return [];
  return toFindings(name, [unknown(yaml, ['projects', project, 'profiles'], profile, profiles)]);
}

function childOf(value: JsonValue | undefined, key: string): JsonObject {
  const child = isObject(value) && Object.hasOwn(value, key) ? value[key] : null;
  return isObject(child) ? child : {};
}

function unknown(
  yaml: YamlFile,
  path: readonly string[],
  name: string,
  known: readonly string[],
): SourceIssue {
  const what = path.length === 1 ? 'project' : 'profile';
  return {
    code: `${what}-unknown`,
    message: `There is no ${what} ${name} under \`${path.join('.')}\`; there are ${known.join(', ')}.`,
    fix: suggestName(
      name,
      known,
      `Add \`${name}:\` there, which may be empty, or use an existing name in svc-site.yml.`,
    ),
    position: yaml.keys[toPointer(path)] ?? positionAt(yaml.positions, path),
  };
}
