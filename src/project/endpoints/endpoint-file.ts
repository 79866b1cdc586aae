import { isObject } from '../../json.ts';
import type { Files } from '../../ports.ts';
import { type Finding, type SourceIssue, toFindings } from '../finding.ts';
import { ENDPOINT_KINDS, type Endpoint, type EndpointFile, type EndpointKind } from '../model.ts';
import { readText } from '../read.ts';
import { ENDPOINT_FILE } from '../schema/endpoint.ts';
import { checkSchema, problemAt } from '../schema/issues.ts';
import { parseYaml, type YamlFile } from '../yaml/yaml.ts';
import { checkEndpoint } from './check-endpoint.ts';
import { toEndpoint } from './endpoint.ts';
import { type LoadedSource, loadSource } from './source.ts';

/** An endpoint file and its findings. */
export interface LoadedFile {
  readonly file: EndpointFile;
  readonly findings: readonly Finding[];
}

/** A file in one of the folders for endpoints. */
export interface FoundFile {
  readonly file: string;
  /** The kinds of endpoints that the folder holds; several if kinds share a folder. */
  readonly kinds: readonly EndpointKind[];
}

/** Reads, parses and checks one endpoint file. */
export async function loadEndpointFile(files: Files, found: FoundFile): Promise<LoadedFile> {
  const read = await readText(files, found.file);
  if ('problem' in read) return broken(found, [read.problem]);
  if (read.text === null) return broken(found, [LOST]);
  const parsed = parseYaml(read.text);
  return 'problems' in parsed ? broken(found, parsed.problems) : check(files, found, parsed.yaml);
}

const LOST: SourceIssue = {
  code: 'file-unreadable',
  message: 'This file cannot be read: it was removed, or it is a broken link.',
  fix: 'Correct the link, or remove it.',
  position: { line: 1, column: 1 },
};

function broken({ file, kinds }: FoundFile, problems: readonly SourceIssue[]): LoadedFile {
  const [kind = 'tool'] = kinds;
  return { file: { file, kind, endpoint: null, positions: {} }, findings: toFindings(file, problems) };
}

async function check(files: Files, found: FoundFile, yaml: YamlFile): Promise<LoadedFile> {
  const kind = findKind(yaml, found.kinds);
  const { endpoint, problems, ofTests } =
    'kind' in kind
      ? await build(files, found.file, yaml, kind.kind)
      : { endpoint: null, problems: [...kind.problems, ...schemaProblems(yaml)], ofTests: [] };
  const severity = isDisabled(yaml, found.kinds) ? 'warning' : 'error';
  const [folderKind = 'tool'] = found.kinds;
  return {
    file: {
      file: found.file,
      kind: 'kind' in kind ? kind.kind : folderKind,
      endpoint: problems.length === 0 ? endpoint : null,
      positions: yaml.positions,
    },
    findings: [
      ...toFindings(found.file, problems, severity),
      ...toFindings(found.file, ofTests, severity).map((finding) => ({ ...finding, served: true as const })),
    ],
  };
}

function schemaProblems(yaml: YamlFile): readonly SourceIssue[] {
  const checked = checkSchema(ENDPOINT_FILE, yaml);
  return 'problems' in checked ? checked.problems : [];
}

interface Built {
  readonly endpoint: Endpoint | null;
  readonly problems: readonly SourceIssue[];
  /** The problems of `tests`, without which the endpoint works. */
  readonly ofTests: readonly SourceIssue[];
}

async function build(files: Files, file: string, yaml: YamlFile, kind: EndpointKind): Promise<Built> {
  const checked = checkSchema(ENDPOINT_FILE, yaml);
  const loaded = await sourceOf(files, file, yaml, kind);
  const lost = loaded && 'problem' in loaded ? [loaded.problem] : [];
  const untested = 'problems' in checked ? checkSchema(ENDPOINT_FILE, withoutTests(yaml, kind)) : checked;
  const found = 'problems' in checked ? checked.problems : [];
  if ('problems' in untested) return { endpoint: null, problems: [...found, ...lost], ofTests: [] };
  const source = loaded && 'source' in loaded ? loaded.source : null;
  const endpoint = toEndpoint(kind, untested.value, file, source);
  return { endpoint, problems: endpoint ? checkEndpoint(endpoint, yaml) : lost, ofTests: found };
}

/** The file without its tests: if it has no errors then, all errors are in the tests. */
function withoutTests(yaml: YamlFile, kind: EndpointKind): YamlFile {
  const body = isObject(yaml.value) ? yaml.value[kind] : null;
  if (!isObject(yaml.value) || !isObject(body)) return yaml;
  const { tests: _, ...rest } = body;
  return { ...yaml, value: { ...yaml.value, [kind]: rest } };
}

/** Loads the source even if the rest of the file has errors, so that all findings appear at once. */
async function sourceOf(
  files: Files,
  file: string,
  yaml: YamlFile,
  kind: EndpointKind,
): Promise<LoadedSource | null> {
  const body = isObject(yaml.value) ? yaml.value[kind] : null;
  const source = isObject(body) ? body.source : null;
  if (!isObject(body) || !isObject(source)) return null;
  const { code, file: name, language } = source;
  const place = { files, file, yaml, path: [kind, 'source'] };
  if (typeof code === 'string' && typeof name !== 'string') {
    return loadSource({ code, language: languageOf(body.language ?? language, '') }, place);
  }
  if (typeof name !== 'string' || typeof code === 'string') return null;
  return loadSource({ file: name, language: languageOf(body.language ?? language, name) }, place);
}

function languageOf(said: unknown, file: string): 'sql' | 'python' {
  if (said === 'sql' || said === 'python') return said;
  return file.endsWith('.py') ? 'python' : 'sql';
}

/** Whether the endpoint is disabled. Its findings are then warnings. */
function isDisabled({ value }: YamlFile, kinds: readonly EndpointKind[]): boolean {
  return kinds.some((kind) => {
    const body = isObject(value) ? value[kind] : null;
    return isObject(body) && body.enabled === false;
  });
}

/** The kind of a file's one endpoint, or the issues that prevent an answer. */
type FoundKind = { readonly kind: EndpointKind } | { readonly problems: readonly SourceIssue[] };

/** Expects exactly one of `tool`, `resource` and `prompt`, and a kind that the file's folder allows. */
function findKind(yaml: YamlFile, allowed: readonly EndpointKind[]): FoundKind {
  const { value } = yaml;
  // The schema reports a file that is not a map.
  if (!isObject(value)) return { problems: [] };
  const [kind, second] = ENDPOINT_KINDS.filter((name) => Object.hasOwn(value, name));
  if (kind === undefined) return { problems: [missing(yaml, allowed)] };
  if (second !== undefined) return { problems: [extra(yaml, kind, second)] };
  if (value[kind] === null) return { problems: [empty(yaml, kind)] };
  return allowed.includes(kind) ? { kind } : { problems: [misplaced(yaml, kind, allowed)] };
}

function missing(yaml: YamlFile, allowed: readonly EndpointKind[]): SourceIssue {
  const keys = allowed.map((kind) => `\`${kind}\``).join(' or ');
  return problemAt(yaml, [], {
    code: 'missing-field',
    message: `has no ${keys}.`,
    fix: `Put everything about the ${allowed[0] ?? 'tool'} below a key \`${allowed[0] ?? 'tool'}:\`.`,
  });
}

function extra(yaml: YamlFile, kind: EndpointKind, second: EndpointKind): SourceIssue {
  return problemAt(yaml, [second], {
    code: 'several-endpoints',
    message: `is a second endpoint beside \`${kind}\`, and a file holds one.`,
    fix: 'Move it to a file of its own.',
    ...keyPosition(yaml, second),
  });
}

function empty(yaml: YamlFile, kind: EndpointKind): SourceIssue {
  return problemAt(yaml, [kind], {
    code: 'missing-field',
    message: 'has nothing below it.',
    fix: `Indent everything about the ${kind} below \`${kind}:\`.`,
    ...keyPosition(yaml, kind),
  });
}

function misplaced(yaml: YamlFile, kind: EndpointKind, allowed: readonly EndpointKind[]): SourceIssue {
  return problemAt(yaml, [kind], {
    code: 'misplaced',
    message: `is in a folder for ${allowed.map((name) => `${name}s`).join(' and ')}.`,
    fix: `Move the file to the folder for ${kind}s.`,
    ...keyPosition(yaml, kind),
  });
}

function keyPosition({ keys }: YamlFile, kind: EndpointKind): Partial<SourceIssue> {
  const position = keys[`/${kind}`];
  return position ? { position } : {};
}
