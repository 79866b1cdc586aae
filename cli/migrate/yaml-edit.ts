import {
  type Document,
  isMap,
  isScalar,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
} from 'yaml';
import type { JsonValue } from '../../src/json.ts';

/** Keys and indexes, from the root down. */
export type YamlPath = readonly (string | number)[];

/** A YAML text that changes only where it must. */
export interface YamlEdit {
  /** The data of the text. */
  readonly value: JsonValue;
  lineOf(path: YamlPath): number;
  renameKey(path: YamlPath, name: string): void;
  setText(path: YamlPath, text: string): void;
  /** Replaces a value by a text in quotes. */
  setQuoted(path: YamlPath, text: string): void;
  /** Replaces a value by a number, whether it was quoted or not. */
  setNumber(path: YamlPath, value: number): void;
  /** Removes the value at a path. Returns false in a file with aliases, where the value may be used elsewhere. */
  remove(path: YamlPath): boolean;
  /** Replaces a block and keeps the comments around it. Returns false in a file with aliases. */
  replace(path: YamlPath, value: JsonValue): boolean;
  /** Adds a key before all others. */
  prepend(key: string, value: number): void;
  toString(): string;
}

interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Opens a text; null if it is no YAML map. */
export function editYaml(text: string): YamlEdit | null {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false });
  const value = dataOf(document);
  if (value === null) return null;
  const aliased = hasAlias(document);
  const splices: Splice[] = [];
  const later: ((changed: Document) => void)[] = [];
  const change = (work: (changed: Document) => void) => {
    if (!aliased) later.push(work);
    return !aliased;
  };
  const renamed = new Map<string, string>();
  // Removals run after renames, so they need the new names.
  const now = (path: YamlPath) =>
    path.map((key, index) => renamed.get(JSON.stringify(path.slice(0, index + 1))) ?? key);
  return {
    value,
    lineOf: (path) => lines.linePos(startOf(document, path)).line,
    renameKey: (path, name) => {
      const key = pairAt(document, path)?.key;
      if (!isScalar(key) || !key.range) return;
      splices.push({ from: key.range[0], to: key.range[1], text: name });
      renamed.set(JSON.stringify(path), name);
    },
    setText: (path, value) => {
      const node = document.getIn(path, true);
      if (isScalar(node) && node.range) {
        splices.push({ from: node.range[0], to: node.range[1], text: quotedAs(node.type, value) });
      }
    },
    setQuoted: (path, value) => {
      const node = document.getIn(path, true);
      if (isScalar(node) && node.range) {
        splices.push({ from: node.range[0], to: node.range[1], text: JSON.stringify(value) });
      }
    },
    setNumber: (path, value) => {
      const node = document.getIn(path, true);
      if (isScalar(node) && node.range) {
        // an absent value begins right after the colon
        const gap = text[node.range[0] - 1] === ':' ? ' ' : '';
        splices.push({ from: node.range[0], to: node.range[1], text: `${gap}${value}` });
      }
    },
    remove: (path) => change((changed) => void changed.deleteIn(now(path))),
    replace: (path, block) => change((changed) => changed.setIn(now(path), changed.createNode(block))),
    prepend: (key, value) =>
      void splices.push({
        from: startOf(document, []),
        to: startOf(document, []),
        text: `${key}: ${value}\n`,
      }),
    toString: () => finish(text, splices, later),
  };
}

/** The data; null if it is not a map or its aliases are broken or too many. */
function dataOf(document: Document): JsonValue {
  if (document.errors.length > 0 || !isMap(document.contents)) return null;
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch {
    return null;
  }
}

function hasAlias(document: Document): boolean {
  let found = false;
  visit(document, {
    Alias: () => {
      found = true;
      return visit.BREAK;
    },
  });
  return found;
}

/**
 * Applies the changes. Small ones leave all other characters alone; removing or replacing a block writes the file
 * anew, with its comments.
 */
function finish(
  text: string,
  splices: readonly Splice[],
  later: readonly ((changed: Document) => void)[],
): string {
  const ordered = splices.toSorted((one, other) => other.from - one.from);
  const spliced = ordered.reduce(
    (left, { from, to, text: put }) => left.slice(0, from) + put + left.slice(to),
    text,
  );
  if (later.length === 0) return spliced;
  // The printer would round integers beyond 2^53.
  const changed = parseDocument(spliced, { uniqueKeys: false, intAsBigInt: true });
  // From the end, so that the places of list items before them stay.
  for (const change of later.toReversed()) change(changed);
  return changed.toString({ lineWidth: 0 });
}

function quotedAs(type: string | null | undefined, text: string): string {
  if (type === 'QUOTE_DOUBLE') return JSON.stringify(text);
  if (type === 'QUOTE_SINGLE') return `'${text.replaceAll("'", "''")}'`;
  return /^[\w./~-][\w./:~ -]*$/.test(text) ? text : JSON.stringify(text);
}

function pairAt(document: Document, path: YamlPath): Pair | undefined {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  if (!isMap(parent)) return undefined;
  return parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1));
}

function startOf(document: Document, path: YamlPath): number {
  const key = path.length === 0 ? undefined : pairAt(document, path)?.key;
  const node = (key ?? (path.length === 0 ? document.contents : document.getIn(path, true))) as Node | null;
  if (node?.range) return node.range[0];
  return path.length === 0 ? 0 : startOf(document, path.slice(0, -1));
}

/** The keys of a map, or the indexes of a list, at a path. */
export function keysAt(value: JsonValue, path: YamlPath): readonly (string | number)[] {
  const found = nodeValueAt(value, path);
  if (Array.isArray(found)) return found.map((_, index) => index);
  return typeof found === 'object' && found !== null ? Object.keys(found) : [];
}

/** The value at a path; undefined if there is none. */
export function nodeValueAt(value: JsonValue, path: YamlPath): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((found, key) => {
    if (typeof found !== 'object' || found === null) return undefined;
    return (found as { readonly [name: string]: JsonValue })[String(key)];
  }, value);
}
