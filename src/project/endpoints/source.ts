import type { Files } from '../../ports.ts';
import { nearestName } from '../../types/nearest.ts';
import type { SourceIssue } from '../finding.ts';
import type { Source } from '../model.ts';
import { listFolder, readText } from '../read.ts';
import { problemAt } from '../schema/issues.ts';
import { nearestAt, type Path, positionAt } from '../yaml/position.ts';
import type { YamlFile } from '../yaml/yaml.ts';

/** A `source` block and its language. */
type WrittenSource = { readonly language: Source['language'] } & (
  | { readonly code: string }
  | { readonly file: string }
);

/** The place of a `source` block. */
interface SourcePlace {
  readonly files: Files;
  /** The YAML file, relative to the root. */
  readonly file: string;
  readonly yaml: YamlFile;
  /** The path of `source` in the YAML. */
  readonly path: Path;
}

/** The source, or the reason why it cannot be read. */
export type LoadedSource = { readonly source: Source } | { readonly problem: SourceIssue };

/** Takes inline code, or reads the file that `source` names. */
export async function loadSource(written: WrittenSource, place: SourcePlace): Promise<LoadedSource> {
  if ('code' in written) return { source: inline(written.code, written.language, place) };
  return loadFile(written.file, written.language, place);
}

function inline(text: string, language: Source['language'], { yaml, path }: SourcePlace): Source {
  const { verbatim = false, ...position } = nearestAt(yaml.positions, [...path, 'code']);
  return { language, text, file: null, ...position, verbatim };
}

async function loadFile(
  name: string,
  language: Source['language'],
  place: SourcePlace,
): Promise<LoadedSource> {
  const at = [...place.path, 'file'];
  const found = resolvePath(place.file, name);
  if (found === null) {
    return fail(place, at, {
      code: 'source-outside',
      message: `is ${JSON.stringify(name)}, which is outside of the project.`,
      fix: "Name a file inside the project; a leading / means the project's folder.",
    });
  }
  const read = await readText(place.files, found);
  if ('problem' in read) return fail(place, at, { ...read.problem, message: describe(found, read.problem) });
  if (read.text === null) return fail(place, at, await missing(found, place));
  // Python itself reads the file, and takes no UTF-16
  if (language === 'python' && read.encoding !== 'utf-8') return fail(place, at, notForPython(found));
  const position = positionAt(place.yaml.positions, at);
  return { source: { language, text: read.text, file: found, ...position, verbatim: true } };
}

function notForPython(file: string): Pick<SourceIssue, 'code' | 'message' | 'fix'> {
  return {
    code: 'encoding',
    message: `cannot be used: ${file} is UTF-16, which Python does not read.`,
    fix: 'Save the file as UTF-8.',
  };
}

function describe(file: string, { message, position: { line, column } }: SourceIssue): string {
  return `cannot be used: ${file}:${line}:${column}: ${message}`;
}

function fail(
  { yaml }: SourcePlace,
  path: Path,
  { code, message, fix }: Pick<SourceIssue, 'code' | 'message' | 'fix'>,
): LoadedSource {
  return { problem: problemAt(yaml, path, { code, message, fix }) };
}

/** Resolves a path relative to the file that contains it. Returns it relative to the root, or null if it leaves the project. */
export function resolvePath(from: string, path: string): string | null {
  const folder = path.startsWith('/') ? [] : from.split('/').slice(0, -1);
  const steps: string[] = [];
  for (const step of [...folder, ...path.split('/')]) {
    if (step === '..' && steps.pop() === undefined) return null;
    if (step !== '..' && step !== '.' && step !== '') steps.push(step);
  }
  return steps.join('/');
}

async function missing(
  file: string,
  { files }: SourcePlace,
): Promise<Pick<SourceIssue, 'code' | 'message' | 'fix'>> {
  const message = `names ${file || 'the project itself'}, which does not exist.`;
  const folder = file.split('/').slice(0, -1).join('/');
  const name = file.split('/').at(-1) ?? '';
  const listed = folder === '' ? [] : await listFolder(files, folder);
  // An endpoint often has the name of its source, but a YAML file is not a source.
  const known = 'code' in listed ? [] : listed.filter((path) => !/\.ya?ml$/i.test(path));
  const names = known.map((path) => path.split('/').at(-1) ?? '');
  const near = nearestName(name, names);
  const suggestion = known[names.indexOf(near ?? '')];
  const fix = file.includes('\\')
    ? 'Write / between folders.'
    : suggestion
      ? `Did you mean ${suggestion}?`
      : 'Create it, or correct the path: it is relative to this YAML file.';
  return { code: 'source-missing', message, fix };
}
