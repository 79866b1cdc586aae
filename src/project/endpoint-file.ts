import type { Files } from '../ports.ts';
import { checkEndpoint } from './check-endpoint.ts';
import { toEndpoint } from './endpoint.ts';
import type { Finding } from './finding.ts';
import { ENDPOINT_KINDS, type EndpointFile, type EndpointKind, type Source } from './model.ts';
import { type Problem, toFindings } from './problem.ts';
import { readText } from './read.ts';
import { ENDPOINT_FILE } from './schema/endpoint.ts';
import { checkSchema, problemAt } from './schema/issues.ts';
import { isMap } from './schema/shape.ts';
import { loadSource, type WrittenSource } from './source.ts';
import { parseYaml, type YamlFile } from './yaml.ts';

/** An endpoint file and everything that is wrong with it. */
export interface LoadedFile {
  readonly file: EndpointFile;
  readonly findings: readonly Finding[];
}

/** A file in one of the folders for endpoints. */
export interface FoundFile {
  readonly file: string;
  /** What its folder is for; several where folders are shared. */
  readonly kinds: readonly EndpointKind[];
}

interface Loaded {
  readonly endpoint: EndpointFile['endpoint'];
  readonly problems: readonly Problem[];
  readonly kind?: EndpointKind;
  readonly yaml?: YamlFile;
}

/** Reads, parses and checks one endpoint file. */
export async function loadEndpointFile(files: Files, found: FoundFile): Promise<LoadedFile> {
  const { endpoint, problems, kind, yaml } = await load(files, found);
  return {
    file: {
      file: found.file,
      kind: kind ?? found.kinds[0] ?? 'tool',
      endpoint: problems.length === 0 ? endpoint : null,
      positions: yaml?.positions ?? {},
    },
    findings: toFindings(found.file, problems),
  };
}

async function load(files: Files, found: FoundFile): Promise<Loaded> {
  const read = await readText(files, found.file);
  if ('problem' in read) return { endpoint: null, problems: [read.problem] };
  const parsed = parseYaml(read.text ?? '');
  if ('problems' in parsed) return { endpoint: null, problems: parsed.problems };
  return build(files, found, parsed.yaml);
}

async function build(files: Files, found: FoundFile, yaml: YamlFile): Promise<Loaded> {
  const { kind, problems: misplaced } = kindOf(yaml, found);
  const checked = checkSchema(ENDPOINT_FILE, yaml);
  const source = kind === null || kind === 'prompt' ? null : await sourceOf(files, found.file, yaml, kind);
  const problems = [
    ...misplaced,
    ...('problems' in checked ? checked.problems : []),
    ...(source && 'problem' in source ? [source.problem] : []),
  ];
  const about = { yaml, ...(kind === null ? {} : { kind }) };
  if (kind === null || 'problems' in checked || problems.length > 0)
    return { endpoint: null, problems, ...about };
  const text: Source | null = source && 'source' in source ? source.source : null;
  const endpoint = toEndpoint(kind, checked.value, found.file, text);
  return { endpoint, problems: endpoint ? checkEndpoint(endpoint, yaml) : problems, ...about };
}

/** Exactly one of `tool`, `resource`, `prompt`, and the one that the folder is for. */
function kindOf(
  yaml: YamlFile,
  { kinds }: FoundFile,
): { kind: EndpointKind | null; problems: readonly Problem[] } {
  const { value } = yaml;
  if (!isMap(value)) return { kind: null, problems: [] };
  const there = ENDPOINT_KINDS.filter((kind) => Object.hasOwn(value, kind));
  const [kind, second] = there;
  const fail = (path: readonly string[], code: string, message: string, fix: string) => ({
    kind: null,
    problems: [
      problemAt(yaml, path, {
        code,
        message,
        fix,
        ...(path[0] ? { position: yaml.keys[`/${path[0]}`] ?? { line: 1, column: 1 } } : {}),
      }),
    ],
  });
  if (kind === undefined) {
    const wanted = kinds.join(' or ');
    return fail(
      [],
      'missing-field',
      `has no \`${wanted}\`.`,
      `Put everything about it below a key \`${kinds[0] ?? 'tool'}:\`.`,
    );
  }
  if (second !== undefined) {
    return fail(
      [second],
      'several-endpoints',
      `is a second endpoint beside \`${kind}\`, and a file holds one.`,
      'Move it to a file of its own.',
    );
  }
  if (kinds.includes(kind)) return { kind, problems: [] };
  return fail(
    [kind],
    'misplaced',
    `is in a folder for ${kinds.join(' and ')} files.`,
    `Move the file into the folder for ${kind} files.`,
  );
}

/** Looks at what is written even where the rest of the file is wrong, so that all problems show at once. */
async function sourceOf(files: Files, file: string, yaml: YamlFile, kind: EndpointKind) {
  const body = isMap(yaml.value) ? yaml.value[kind] : null;
  const source = isMap(body) ? body.source : null;
  if (!isMap(body) || !isMap(source)) return null;
  const written = { ...source, language: languageOf(body.language, source) } as WrittenSource;
  if ((typeof source.code === 'string') === (typeof source.file === 'string')) return null;
  return loadSource(written, { files, file, yaml, path: [kind, 'source'] });
}

function languageOf(
  outer: unknown,
  source: { readonly language?: unknown; readonly file?: unknown },
): 'sql' | 'python' {
  const said = outer ?? source.language;
  if (said === 'sql' || said === 'python') return said;
  return typeof source.file === 'string' && source.file.endsWith('.py') ? 'python' : 'sql';
}
