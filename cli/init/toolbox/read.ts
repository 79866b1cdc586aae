import { type Document, isNode, LineCounter, parse, parseAllDocuments, visit } from 'yaml';
import { messageOf, SvcError } from '../../../src/errors.ts';
import { isList, isObject, type JsonObject, type JsonValue } from '../../../src/json.ts';
import { type Environment, resolveText } from './source.ts';

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

/** Older files have one map for each kind, under these keys. Others have documents with these words as their `kind`. */
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
 * @throws usage if the text is not YAML, declares nothing, or needs a variable that is not set.
 */
export function readToolbox(text: string, file: string, env: Environment): readonly ToolboxItem[] {
  const lines = new LineCounter();
  // Go's YAML merges `<<`, so a tool may take its `authRequired` from there.
  const documents = parseAllDocuments(text, { lineCounter: lines, uniqueKeys: false, merge: true });
  const items = ('empty' in documents ? [] : documents).flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) {
      const { line } = lines.linePos(error.pos[0]);
      throw new SvcError('usage', `${file}:${line}: this is not YAML: ${error.message.split('\n')[0]}`);
    }
    resolveReferences(document, env);
    const value = dataOf(document, file);
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

const REFERRING = new Set(['tool', 'prompt']);

/** Resolves the references to variables in tools and prompts. Those of sources may be credentials, which stay references. */
function resolveReferences(document: Document, env: Environment): void {
  const kind: unknown = document.get('kind');
  const sections = Object.entries(SECTIONS).filter(([, one]) => REFERRING.has(one));
  const parts =
    typeof kind !== 'string'
      ? sections.map(([section]) => document.get(section, true))
      : sections.flat().includes(kind)
        ? [document.contents]
        : [];
  for (const part of parts.filter(isNode)) {
    visit(part, {
      Scalar: (_, node) => {
        if (typeof node.value !== 'string' || !node.value.includes('${')) return;
        const text = resolveText(node.value, env);
        node.value = node.type === 'PLAIN' ? toPlainValue(text) : text;
      },
    });
  }
}

/** The value of a text without quotes: `5` is a number. */
function toPlainValue(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return text;
  }
}

/** Throws usage for an alias without an anchor, inside itself, or for aliases that stand for too much. */
function dataOf(document: Document, file: string): JsonValue {
  try {
    return JSON.parse(JSON.stringify(document.toJS({ maxAliasCount: 100 }) ?? null));
  } catch (thrown) {
    const [reason = ''] = messageOf(thrown).split('\n');
    throw new SvcError('usage', `${file} has an alias that cannot be resolved: ${reason}`);
  }
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
      {
        kind: (Object.hasOwn(SECTIONS, kind) ? SECTIONS[kind] : undefined) ?? kind,
        ...{ name: typeof name === 'string' ? name : '', type: typeOf(value), value, line: lineOf([]) },
      },
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
