import type { JsonObject } from '../../json.ts';
import type { Files } from '../../ports.ts';
import type { LoadedFile } from '../endpoints/endpoint-file.ts';
import { type Finding, type SourceIssue, toFindings } from '../finding.ts';
import type { ResourceEndpoint, SkillFile } from '../model.ts';
import { readText } from '../read.ts';
import { toPolicies } from '../schema/endpoint.ts';
import { checkSchema, problemAt } from '../schema/issues.ts';
import { FRONT_MATTER, type ParsedFrontMatter, PUBLISHED_KEYS } from '../schema/skill.ts';
import { parseYaml, type YamlFile } from '../yaml/yaml.ts';
import type { FoundSkill } from './discover.ts';
import { type SplitMarkdown, splitFrontMatter, toMarkdown } from './front-matter.ts';

/** The most bytes of all files of one skill. Manifests of artefacts contain them. */
const MOST_BYTES = 1_048_576;

/** The media type of a skill's main file. */
const MARKDOWN = 'text/markdown';

/**
 * Reads and checks one skill. A skill is a resource whose content is its own text, so scopes, policies, toolsets and
 * records hold for it as for every other resource.
 */
export async function loadSkill(files: Files, found: FoundSkill): Promise<LoadedFile> {
  const read = await readText(files, found.file);
  if ('problem' in read) return broken(found, [read.problem]);
  if (read.text === null) return broken(found, [lost()]);
  const split = splitFrontMatter(read.text);
  if ('problem' in split) return broken(found, [split.problem]);
  const parsed = parseYaml(split.yaml);
  if ('problems' in parsed) return broken(found, parsed.problems);
  const others = await readOthers(files, found);
  const checked = checkSchema(FRONT_MATTER, parsed.yaml);
  const problems = [
    ...('problems' in checked ? checked.problems : checkSkill(found, checked.value, split, parsed.yaml)),
    ...checkSize(read.text, others.files),
  ];
  const endpoint = 'value' in checked ? toResource(found, checked.value, split, others.files) : null;
  const sound = problems.length === 0 && others.findings.length === 0;
  const severity = endpoint?.enabled === false ? 'warning' : 'error';
  return {
    file: {
      file: found.file,
      kind: 'resource',
      endpoint: sound ? endpoint : null,
      positions: below('/resource', parsed.yaml),
    },
    findings: [...toFindings(found.file, problems, severity), ...others.findings],
  };
}

/** Checks of policies look for places below the kind of the endpoint. */
function below(kind: string, { positions }: YamlFile): YamlFile['positions'] {
  return Object.fromEntries(Object.entries(positions).map(([pointer, place]) => [kind + pointer, place]));
}

function broken({ file }: FoundSkill, problems: readonly SourceIssue[]): LoadedFile {
  return {
    file: { file, kind: 'resource', endpoint: null, positions: {} },
    findings: toFindings(file, problems),
  };
}

function lost(): SourceIssue {
  return {
    code: 'file-unreadable',
    message: 'This file cannot be read: it was removed, or it is a broken link.',
    fix: 'Correct the link, or remove it.',
    position: { line: 1, column: 1 },
  };
}

interface Others {
  readonly files: readonly SkillFile[];
  readonly findings: readonly Finding[];
}

async function readOthers(files: Files, { others }: FoundSkill): Promise<Others> {
  const read = await Promise.all(
    others.map(async (one) => ({ ...one, ...(await readText(files, one.file)) })),
  );
  return {
    files: read.flatMap((one) =>
      'text' in one && one.text !== null ? [{ path: one.path, text: one.text }] : [],
    ),
    findings: read.flatMap((one) => {
      const problem = 'problem' in one ? one.problem : one.text === null ? lost() : null;
      return problem === null ? [] : toFindings(one.file, [problem]);
    }),
  };
}

function checkSkill(
  { name, file }: FoundSkill,
  parsed: ParsedFrontMatter,
  { body, bodyLine }: SplitMarkdown,
  yaml: YamlFile,
): readonly SourceIssue[] {
  const isFolder = file.endsWith('/SKILL.md');
  const misnamed = problemAt(yaml, ['name'], {
    code: 'skill-name',
    message: `is ${parsed.name}, but the ${isFolder ? 'folder' : 'file'} is named ${name}${isFolder ? '' : '.md'}.`,
    fix: 'Give both the same name, because the address of a skill ends in it.',
  });
  const empty: SourceIssue = {
    code: 'file-empty',
    message: 'There is no text below the front matter.',
    fix: 'Write what a model needs to know before it calls the tools.',
    position: { line: bodyLine, column: 1 },
  };
  return [...(parsed.name === name ? [] : [misnamed]), ...(body.trim() === '' ? [empty] : [])];
}

function checkSize(text: string, others: readonly SkillFile[]): readonly SourceIssue[] {
  const encoder = new TextEncoder();
  const bytes = [text, ...others.map((one) => one.text)].reduce(
    (sum, part) => sum + encoder.encode(part).length,
    0,
  );
  if (bytes <= MOST_BYTES) return [];
  return [
    {
      code: 'file-size',
      message: `The files of this skill have ${bytes} bytes, and ${MOST_BYTES} are allowed.`,
      fix: 'Shorten them; data belongs in the database.',
      position: { line: 1, column: 1 },
    },
  ];
}

function toResource(
  { file }: FoundSkill,
  parsed: ParsedFrontMatter,
  { body, bodyLine }: SplitMarkdown,
  others: readonly SkillFile[],
): ResourceEndpoint {
  const frontMatter = published(parsed);
  return {
    kind: 'resource',
    file,
    name: parsed.name,
    description: parsed.description,
    uri: `skill://${parsed.name}/SKILL.md`,
    mimeType: MARKDOWN,
    tags: parsed.tags ?? [],
    icons: [],
    enabled: parsed.enabled ?? true,
    scopes: parsed.scopes ?? [],
    parameters: [],
    policies: toPolicies(parsed.policies),
    tests: [],
    limits: {},
    metadata: {},
    returns: { type: 'string' },
    confirm: null,
    ask: [],
    completion: {},
    source: {
      language: 'text',
      text: toMarkdown(frontMatter, body),
      file: null,
      line: bodyLine,
      column: 1,
      verbatim: false,
    },
    skill: { frontMatter, files: others },
  };
}

/** Returns the part of a front matter that clients get. The rest, which says who may read the skill, stays here. */
function published(parsed: ParsedFrontMatter): JsonObject {
  const values: { readonly [key: string]: unknown } = parsed;
  return Object.fromEntries(
    PUBLISHED_KEYS.flatMap((key) => {
      const value = values[key] ?? null;
      return value === null ? [] : [[key, value as JsonObject[string]]];
    }),
  );
}
