import { sha256Hex } from '../crypto/digest.ts';
import type { JsonObject } from '../json.ts';
import type { ResourceEndpoint, Skill } from '../project/model.ts';
import type { Catalog, ResourceEntry } from './model.ts';

/** The main file of a skill, with the skill as `skills/list` shows it. */
export type SkillEntry = ResourceEntry & { readonly skill: JsonObject };

/** The skills of a catalog, ordered by address. */
export function skillsOf({ resources }: Catalog): readonly SkillEntry[] {
  return Object.values(resources)
    .filter((entry): entry is SkillEntry => entry.skill !== undefined)
    .toSorted((one, other) => (one.uri < other.uri ? -1 : 1));
}

/** Whether a resource is a file of a skill. Only the main one is in `resources/list`. */
export function isSkillFile({ source }: ResourceEntry): boolean {
  return source.language === 'text';
}

/** The files of a skill beside its main one, as resources under the same rules. */
export function toSkillFiles(main: ResourceEndpoint): readonly ResourceEndpoint[] {
  const { skill, description: _, ...shared } = main;
  if (skill === undefined) return [];
  return skill.files.map(({ path, text }) => ({
    ...shared,
    name: `${main.name}/${path}`,
    uri: uriOf(main, path),
    mimeType: mediaTypeOf(path),
    source: { ...main.source, text },
  }));
}

/** The skill with the digest and the size of each file, by which clients know that they have what the author wrote. */
export async function toWireSkill(
  main: ResourceEndpoint,
  { frontMatter, files }: Skill,
): Promise<JsonObject> {
  const all = [
    { uri: main.uri, text: main.source.text },
    ...files.map(({ path, text }) => ({ uri: uriOf(main, path), text })),
  ];
  const resources = await Promise.all(
    all.map(async ({ uri, text }) => ({
      uri,
      digest: `sha256:${await sha256Hex(text)}`,
      size: new TextEncoder().encode(text).length,
    })),
  );
  return {
    uri: main.uri,
    frontmatter: frontMatter,
    resources: resources.toSorted((one, other) => (one.uri < other.uri ? -1 : 1)),
  };
}

function uriOf({ name }: ResourceEndpoint, path: string): string {
  return `skill://${name}/${path.split('/').map(encodeURIComponent).join('/')}`;
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  json: 'application/json',
  yml: 'application/yaml',
  yaml: 'application/yaml',
  csv: 'text/csv',
  html: 'text/html',
  xml: 'application/xml',
  py: 'text/x-python',
};

/** The media type of a text file, by the end of its name. */
function mediaTypeOf(path: string): string {
  const end = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(MEDIA_TYPES, end) ? (MEDIA_TYPES[end] ?? 'text/plain') : 'text/plain';
}
