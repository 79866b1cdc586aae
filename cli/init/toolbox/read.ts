import { LineCounter, parseAllDocuments } from 'yaml';
import { SvcError } from '../../../src/errors.ts';
import { isList, isObject, type JsonObject, type JsonValue } from '../../../src/json.ts';

/** One thing that a `tools.yaml` declares. */
export interface ToolboxItem {
  /** `source`, `tool`, `toolset`, `group`, `prompt`, `authService` ... */
  readonly kind: string;
  readonly name: string;
  /** Such as `postgres-sql`; empty if there is none. */
  readonly type: string;
  readonly value: JsonObject;
  readonly line: number;
}

/** Older files have one map for each kind, under these keys. */
const SECTIONS: Readonly<Record<string, string>> = {
  sources: 'source',
  authSources: 'authService',
  authServices: 'authService',
  embeddingModels: 'embeddingModel',
  tools: 'tool',
  toolsets: 'toolset',
  groups: 'group',
  prompts: 'prompt',
  resources: 'resource',
  resourceTemplates: 'resourceTemplate',
};

/**
 * Reads everything that a `tools.yaml` declares, in the form of one document for each thing (`kind: tool`), or of one
 * map for each kind (`tools:`).
 *
 * @throws usage if the text is not YAML, or declares nothing.
 */
export function readToolbox(text: string, file: string): readonly ToolboxItem[] {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, uniqueKeys: false });
  const items = ('empty' in documents ? [] : documents).flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) {
      const { line } = lines.linePos(error.pos[0]);
      throw new SvcError('usage', `${file}:${line}: this is not YAML: ${error.message.split('\n')[0]}`);
    }
    const value: JsonValue = JSON.parse(JSON.stringify(document.toJS({ maxAliasCount: 100 }) ?? null));
    const lineOf = (path: readonly string[]) => {
      const node = document.getIn(path, true) ?? document.contents;
      const range = isRanged(node) ? node.range : null;
      return lines.linePos(range?.[0] ?? document.range?.[0] ?? 0).line;
    };
    return isObject(value) ? itemsOf(value, lineOf) : [];
  });
  const kinds = Object.values(SECTIONS);
  if (items.some(({ kind }) => kinds.includes(kind))) return items;
  throw new SvcError(
    'usage',
    `${file} declares nothing that MCP Toolbox would serve. It needs documents such as \`kind: tool\`, or maps such as \`tools:\`.`,
  );
}

function isRanged(node: unknown): node is { readonly range?: readonly [number, number, number] | null } {
  return typeof node === 'object' && node !== null && 'range' in node;
}

type LineOf = (path: readonly string[]) => number;

function itemsOf(document: JsonObject, lineOf: LineOf): readonly ToolboxItem[] {
  const { kind, name } = document;
  if (typeof kind === 'string') {
    const { kind: _, ...value } = document;
    return [
      { kind, name: typeof name === 'string' ? name : '', type: typeOf(value), value, line: lineOf([]) },
    ];
  }
  return Object.entries(document).flatMap(([section, entries]) => {
    const known = Object.hasOwn(SECTIONS, section) ? SECTIONS[section] : undefined;
    const line = lineOf([section]);
    if (known === undefined || !isObject(entries)) {
      return [{ kind: section, name: '', type: '', value: {}, line }];
    }
    return Object.entries(entries).map(([own, value]) => {
      const body = isObject(value) ? value : isList(value) ? { tools: value } : {};
      return { kind: known, name: own, type: typeOf(body), value: body, line: lineOf([section, own]) };
    });
  });
}

/** Older files call it `kind`. */
function typeOf({ type, kind }: JsonObject): string {
  const found = type ?? kind;
  return typeof found === 'string' ? found : '';
}
