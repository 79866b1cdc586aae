import { isList, type JsonObject } from '../../../src/json.ts';
import type { MigrationNote } from '../../migrate/rewrite.ts';
import { convertPrompt } from './prompt.ts';
import { readToolbox, type ToolboxItem } from './read.ts';
import { type AttachedSource, convertSource, type Places } from './source.ts';
import { convertTool } from './tool.ts';

/** An endpoint file of the new project, and the item that it comes from. */
export interface PlannedEndpoint {
  readonly path: string;
  readonly item: ToolboxItem;
  readonly file: JsonObject;
}

/** A `tools.yaml` in the terms of svc. */
export interface ConvertedToolbox {
  readonly endpoints: readonly PlannedEndpoint[];
  /** The sources with tools or without, the one with most tools first. */
  readonly sources: readonly AttachedSource[];
  /** Sources that a tool writes to, by their name in SQL. */
  readonly written: ReadonlySet<string>;
  /** Everything that is not converted, or has another meaning now. */
  readonly notes: readonly MigrationNote[];
}

/** Why no item of a kind is converted. */
const NO_COUNTERPART: Readonly<Record<string, string>> = {
  authService: 'Sign-in belongs to the user file: docs/how-to/auth-setup.md.',
  embeddingModel: 'svc calls no embedding models.',
  resource: 'Write a resource or a skill: docs/how-to/write-skills.md.',
  resourceTemplate: 'Write a resource with a placeholder in its `uri`: docs/reference/endpoints.md.',
  promptset: 'Tags group prompts.',
};

/**
 * Converts the text of a `tools.yaml`. Each item is converted whole, or named in the notes.
 *
 * @throws usage if the text is not YAML, or needs a variable that is not set.
 */
export function convertToolbox(text: string, places: Places): ConvertedToolbox {
  const items = readToolbox(text, places.file, places.env);
  const of = (kind: string) => items.filter((item) => item.kind === kind);
  const notes: MigrationNote[] = [];
  const note = (kind: MigrationNote['kind'], item: ToolboxItem, message: string) =>
    notes.push({ kind, file: places.file, line: item.line, message: `${nameOf(item)}: ${message}` });
  const sources = new Map<string, AttachedSource>();
  for (const item of of('source')) {
    const converted = convertSource(item, places);
    if ('reason' in converted) note('lost', item, converted.reason);
    else {
      sources.set(item.name, withFreeName(converted, [...sources.values()]));
      for (const remark of converted.remarks) note('check', item, remark);
    }
  }
  const tagsOf = toTags([...of('toolset'), ...of('group')]);
  const endpoints: PlannedEndpoint[] = [];
  const written = new Set<string>();
  const uses = new Map<string, number>();
  for (const item of of('tool')) {
    const source = sources.get(String(item.value.source));
    const converted = convertTool(item, { source, tags: tagsOf(item.name) });
    if ('reason' in converted) {
      note('lost', item, converted.reason);
      continue;
    }
    for (const remark of converted.remarks) note('check', item, remark);
    if (converted.writes) written.add(source?.name ?? '');
    uses.set(source?.name ?? '', (uses.get(source?.name ?? '') ?? 0) + 1);
    endpoints.push({ path: `tools/${converted.name}.yml`, item, file: converted.file });
  }
  for (const item of of('prompt')) {
    const converted = convertPrompt(item);
    if ('reason' in converted) {
      note('lost', item, converted.reason);
      continue;
    }
    for (const remark of converted.remarks) note('check', item, remark);
    endpoints.push({ path: `prompts/${converted.name}.yml`, item, file: converted.file });
  }
  for (const item of items.filter(({ kind }) => !CONVERTED.has(kind))) {
    const known = Object.hasOwn(NO_COUNTERPART, item.kind) ? NO_COUNTERPART[item.kind] : undefined;
    note('lost', item, known ?? 'svc does not know this kind.');
  }
  for (const item of of('group')) noteGroup(item, note);
  const ordered = [...sources.values()].toSorted(
    (one, other) => (uses.get(other.name) ?? 0) - (uses.get(one.name) ?? 0),
  );
  return { endpoints, sources: ordered, written, notes };
}

const CONVERTED = new Set(['source', 'tool', 'toolset', 'group', 'prompt']);

function nameOf({ kind, name }: ToolboxItem): string {
  return name === '' ? kind : `${kind} ${name}`;
}

function withFreeName(source: AttachedSource, others: readonly AttachedSource[]): AttachedSource {
  const taken = new Set(others.map(({ name }) => name.toLowerCase()));
  let name = source.name;
  for (let number = 2; taken.has(name.toLowerCase()); number += 1) name = `${source.name}_${number}`;
  return { ...source, name };
}

/** The tags of a tool: the toolsets and groups that list it. */
function toTags(sets: readonly ToolboxItem[]): (tool: string) => readonly string[] {
  return (tool) =>
    sets.flatMap(({ name, value: { tools } }) =>
      name !== '' && isList(tools) && tools.includes(tool) ? [name] : [],
    );
}

/** Groups become tags of tools; everything else that they say is left out. */
function noteGroup(
  item: ToolboxItem,
  note: (kind: MigrationNote['kind'], item: ToolboxItem, message: string) => void,
): void {
  const others = Object.keys(item.value).filter((key) => !['name', 'tools'].includes(key));
  if (others.length > 0)
    note('check', item, `It is now a tag of its tools; ${others.join(', ')} is left out.`);
}
