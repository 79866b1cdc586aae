import type { Files } from '../ports.ts';
import { nearestName } from '../types/nearest.ts';
import { decodeText } from './decode.ts';
import type { Finding } from './finding.ts';
import { type Checked, findingAt } from './issues.ts';
import type { Source } from './model.ts';
import type { YamlFile, YamlPath } from './yaml-file.ts';

interface SourceBody {
  readonly code?: string | undefined;
  readonly file?: string | undefined;
  readonly language?: 'sql' | 'python' | undefined;
}

/** Reads an endpoint's implementation: its inline code, or the file beside its YAML. */
export async function loadSource(
  files: Files,
  yaml: YamlFile,
  base: YamlPath,
  body: { source: SourceBody; language?: 'sql' | 'python' | undefined },
): Promise<Checked<Source>> {
  const { code, file } = body.source;
  const language = body.language ?? body.source.language ?? (file?.endsWith('.py') ? 'python' : 'sql');
  const path = [...base, 'source'];
  if ((code === undefined) === (file === undefined)) {
    return refused(
      yaml,
      path,
      'source',
      '`source` takes exactly one of `code` and `file`.',
      'Keep one of them.',
    );
  }
  if (code !== undefined) return inline(yaml, path, code, language);
  return fromFile(files, yaml, [...path, 'file'], { file: file ?? '', language });
}

function inline(yaml: YamlFile, path: YamlPath, code: string, language: Source['language']): Checked<Source> {
  const at = [...path, 'code'];
  if (language === 'python') {
    return refused(
      yaml,
      at,
      'source',
      'Python is written in a file of its own.',
      'Move the code to a .py file and name it with `file:`.',
    );
  }
  return { ok: true, value: { language, text: code, file: null, ...yaml.at(at) } };
}

async function fromFile(
  files: Files,
  yaml: YamlFile,
  at: YamlPath,
  { file, language }: { file: string; language: Source['language'] },
): Promise<Checked<Source>> {
  const path = resolveIn(yaml.file, file);
  if (path === null) {
    return refused(
      yaml,
      at,
      'source-outside',
      `${file} lies outside the project.`,
      'Move the file into the project.',
    );
  }
  const bytes = await files.read(path);
  if (bytes === null) return { ok: false, findings: [await missing(files, yaml, at, path)] };
  const decoded = decodeText(bytes);
  if ('problem' in decoded)
    return refused(
      yaml,
      at,
      decoded.problem.code,
      `${path}: ${decoded.problem.message}`,
      decoded.problem.fix,
    );
  return { ok: true, value: { language, text: decoded.text, file: path, ...yaml.at(at) } };
}

async function missing(files: Files, yaml: YamlFile, at: YamlPath, path: string): Promise<Finding> {
  const folder = path.split('/').slice(0, -1).join('/');
  const nearest = nearestName(path, await files.list(folder));
  return findingAt(yaml, at, {
    code: 'source-missing',
    message: `There is no file ${path}.`,
    fix: nearest
      ? `Did you mean ${nearest}?`
      : 'Create it, or correct the path: it is relative to this YAML file.',
  });
}

function refused(
  yaml: YamlFile,
  path: YamlPath,
  code: string,
  message: string,
  fix: string,
): Checked<Source> {
  return { ok: false, findings: [findingAt(yaml, path, { code, message, fix })] };
}

/** A path relative to the YAML's folder, or from the root with a leading `/`; null when it leaves the project. */
function resolveIn(yaml: string, file: string): string | null {
  const start = file.startsWith('/') ? [] : yaml.split('/').slice(0, -1);
  const steps: string[] = [...start];
  for (const step of file.split(/[/\\]/)) {
    if (step === '..' && steps.pop() === undefined) return null;
    if (step !== '' && step !== '.' && step !== '..') steps.push(step);
  }
  return steps.join('/');
}
