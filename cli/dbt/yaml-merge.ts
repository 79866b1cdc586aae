import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Document, isCollection, isNode, isScalar, isSeq, parseDocument, YAMLSeq } from 'yaml';
import { SvcError } from '../../src/errors.ts';
import type { JsonValue } from '../../src/json.ts';
import { writeWhole } from '../io/write-files.ts';

/** A file of dbt after the merge, and the changes in it. */
export interface MergedFile {
  readonly path: string;
  readonly action: 'create' | 'update' | 'none';
  readonly changes: readonly DbtChange[];
  readonly text: string;
}

/** Merges required values into a file or a new one. Writes nothing. */
export async function mergeFile(
  path: string,
  wanted: (fresh: boolean) => readonly Wanted[],
  head: string,
): Promise<MergedFile> {
  const fresh = !existsSync(path);
  const before = fresh ? '' : await readFile(path, 'utf8');
  const doc = parse(path, before);
  if (doc.contents === null) begin(doc, head);
  const changes = mergeInto(doc, wanted(fresh));
  const action = fresh ? 'create' : changes.length === 0 ? 'none' : 'update';
  return { path, action, changes, text: action === 'none' ? before : toText(doc, before) };
}

/** Writes merged files, each in one step, so that readers never see half a file. */
export async function writeMerged(files: readonly MergedFile[]): Promise<void> {
  for (const { path, action, text } of files) if (action !== 'none') await writeWhole(path, text);
}

function parse(path: string, text: string): Document {
  // The printer would round integers beyond 2^53.
  const doc = parseDocument(text, { intAsBigInt: true });
  const [problem] = doc.errors;
  if (problem === undefined && (doc.contents === null || 'items' in doc.contents)) return doc;
  const where = problem?.linePos?.[0].line;
  throw new SvcError(
    'config_invalid',
    `${where === undefined ? path : `${path}:${where}`} is not YAML that can be merged: ${problem?.code ?? 'it is not a map'}.
Correct the file, or move it away. Nothing was changed.`,
  );
}

/** Starts the data of an empty file; its comments come first. */
function begin(doc: Document, head: string): void {
  doc.commentBefore = doc.comment ?? doc.commentBefore ?? ` ${head}`;
  doc.comment = null;
  doc.contents = doc.createNode({});
}

/** Writes in the style of the file: its line ends and its lists. */
function toText(doc: Document, before: string): string {
  const flat = /^( *)[^\s#-][^\n]*:[ \t]*\r?\n\1- /m.test(before);
  const padded = /^[^'"#\n]*\[ \S/m.test(before);
  const text = doc.toString({ lineWidth: 0, indentSeq: !flat, flowCollectionPadding: padded });
  return before.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;
}

/**
 * A value that a file needs. `set` replaces an older value, `start` applies only to a file without one, `items`
 * merges a list by name.
 */
export interface Wanted {
  readonly path: readonly string[];
  readonly value: JsonValue;
  readonly how: 'set' | 'start' | 'items';
  /** Accepts other values that are as good. */
  readonly accepts?: (found: JsonValue) => boolean;
}

/** A change of a file: `add` loses nothing, `change` and `remove` do. */
export type DbtChange = {
  readonly action: 'add' | 'change' | 'remove';
  readonly key: string;
  readonly from: JsonValue;
  readonly to: JsonValue;
};

/** Merges required values into a document and returns the changes. Comments and all other values stay. */
export function mergeInto(doc: Document, wanted: readonly Wanted[]): readonly DbtChange[] {
  return wanted.flatMap((one) => (one.how === 'items' ? mergeItems(doc, one) : mergeValue(doc, one)));
}

function mergeValue(doc: Document, { path, value, how, accepts }: Wanted): readonly DbtChange[] {
  const from = valueAt(doc, path);
  const fits = isDeepStrictEqual(from, value) || accepts?.(from);
  if (from !== null && (how === 'start' || fits)) return [];
  write(doc, path, value);
  return [{ action: from === null ? 'add' : 'change', key: path.join('.'), from, to: value }];
}

/** Merges lists by the names of their items. Items of the user stay. */
function mergeItems(doc: Document, { path, value }: Wanted): readonly DbtChange[] {
  const items = Array.isArray(value) ? value : [];
  const before = valueAt(doc, path);
  const found: readonly JsonValue[] = Array.isArray(before) ? before : [];
  const stale = found.filter((item) => isOurs(item) && !items.some((one) => nameOf(one) === nameOf(item)));
  return [
    ...items.flatMap((item) => mergeItem(doc, path, item, found)),
    ...stale.map((item) => removeItem(doc, path, item)),
  ];
}

function mergeItem(
  doc: Document,
  path: readonly string[],
  item: JsonValue,
  found: readonly JsonValue[],
): readonly DbtChange[] {
  const index = found.findIndex((other) => nameOf(other) === nameOf(item));
  const from = found[index] ?? null;
  if (isDeepStrictEqual(from, item)) return [];
  const list = listAt(doc, path);
  if (index === -1) list.add(doc.createNode(item));
  else list.set(index, doc.createNode(item));
  const key = `${path.join('.')}[${nameOf(item)}]`;
  return [{ action: index === -1 ? 'add' : 'change', key, from, to: item }];
}

function removeItem(doc: Document, path: readonly string[], item: JsonValue): DbtChange {
  const list = listAt(doc, path);
  const items: readonly unknown[] = list.toJSON();
  list.delete(items.findIndex((other) => isDeepStrictEqual(toPlain(other), item)));
  return { action: 'remove', key: `${path.join('.')}[${nameOf(item)}]`, from: item, to: null };
}

/** Whether an item was made by svc; such an item is removed when svc has no such secret any more. */
function isOurs(item: JsonValue): boolean {
  return typeof item === 'object' && /env_var\('(SVC|DBT_ENV)_SECRET_/.test(JSON.stringify(item));
}

function nameOf(item: JsonValue): string {
  if (typeof item !== 'object' || item === null || !('name' in item)) return String(item);
  return String(item.name);
}

function listAt(doc: Document, path: readonly string[]): YAMLSeq {
  const found = doc.getIn(path, true);
  if (isSeq(found)) return found;
  const list = new YAMLSeq();
  write(doc, path, list);
  return list;
}

function valueAt(doc: Document, path: readonly string[]): JsonValue {
  const found: unknown = guarded(path, () => doc.getIn(path, true));
  if (found === undefined || found === null) return null;
  return toPlain(isCollection(found) ? found.toJS(doc) : doc.getIn(path));
}

/** The data of a node, whose integers are numbers again. */
function toPlain(data: unknown): JsonValue {
  return JSON.parse(
    JSON.stringify(data ?? null, (_, value) => (typeof value === 'bigint' ? Number(value) : value)),
  );
}

/** Sets a value. Empty maps on the way (`outputs:`) are replaced, since they hold nothing. */
function write(doc: Document, path: readonly string[], value: unknown): void {
  for (const length of path.keys()) {
    const above = path.slice(0, length);
    if (length > 0 && doc.hasIn(above) && doc.getIn(above) === null) doc.deleteIn(above);
  }
  guarded(path, () => doc.setIn(path, toNode(doc, value, doc.getIn(path, true))));
}

/**
 * Converts a value to a node. A scalar keeps its node and the comment behind it; other nodes take over the comments
 * of the node they replace.
 */
function toNode(doc: Document, value: unknown, before: unknown): unknown {
  if (typeof value !== 'object') return isScalar(before) ? value : doc.createNode(value);
  const flow = Array.isArray(value) && value.every((item) => typeof item === 'string');
  const node = doc.createNode(value, { flow });
  if (isNode(before)) Object.assign(node, { comment: before.comment, commentBefore: before.commentBefore });
  return node;
}

function guarded<T>(path: readonly string[], work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new SvcError(
      'config_invalid',
      `\`${path.join('.')}\` cannot be merged: the value above it is not a map (it is an anchor, a list or a text). Write the value by hand.`,
      { cause },
    );
  }
}
