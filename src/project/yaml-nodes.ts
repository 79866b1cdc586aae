import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type Scalar, type YAMLMap } from 'yaml';
import type { JsonValue } from '../json.ts';
import { type Path, type Position, type Positions, toPointer } from './position.ts';
import type { Problem } from './problem.ts';

/** How the nodes of a document become data. */
interface Reading {
  readonly text: string;
  readonly place: (offset: number) => Position;
}

type Table<T> = { [key: string]: T };

interface State extends Reading {
  readonly anchors: Map<string, Node>;
  /** The collections around the node being read. */
  readonly open: Set<Node>;
  readonly positions: Table<Position>;
  readonly keys: Table<Position>;
  readonly blocks: Table<Position>;
  readonly problems: Problem[];
  values: number;
}

/** What was read, or everything that is no plain data. */
type Read =
  | {
      readonly value: JsonValue;
      readonly positions: Positions;
      readonly keys: Positions;
      readonly blocks: Positions;
    }
  | { readonly problems: readonly Problem[] };

const MAX_VALUES = 50_000;
const MAX_DEPTH = 100;

/** Turns a composed document into plain data: aliases and merge keys followed, within bounds. */
export function readNodes(document: Document.Parsed, reading: Reading): Read {
  const state: State = {
    ...reading,
    anchors: new Map(),
    open: new Set(),
    positions: {},
    keys: {},
    blocks: {},
    problems: [],
    values: 0,
  };
  const value = readNode(state, document.contents, [], 0);
  const { problems, positions, keys, blocks } = state;
  return problems.length > 0 ? { problems } : { value, positions, keys, blocks };
}

function readNode(state: State, node: Node | null | undefined, path: Path, depth: number): JsonValue {
  state.values += 1;
  if (node === null || node === undefined) return null;
  const at = state.place(node.range?.[0] ?? 0);
  state.positions[toPointer(path)] ??= at;
  if (state.values > MAX_VALUES || depth > MAX_DEPTH) return refuse(state, 'yaml-size', at);
  if (isAlias(node)) return readAlias(state, node.source, path, { depth, at });
  if ('anchor' in node && node.anchor) state.anchors.set(node.anchor, node);
  if (isScalar(node)) return readScalar(state, node, path);
  state.open.add(node);
  const value = isMap(node)
    ? readMap(state, node, path, depth)
    : isSeq(node)
      ? node.items.map((item, index) => readNode(state, item as Node, [...path, index], depth + 1))
      : null;
  state.open.delete(node);
  return value;
}

function readAlias(
  state: State,
  name: string,
  path: Path,
  { depth, at }: { depth: number; at: Position },
): JsonValue {
  const target = state.anchors.get(name);
  if (target && !state.open.has(target)) return readNode(state, target, path, depth + 1);
  return refuse(state, target ? 'yaml-cycle' : 'yaml-alias', at);
}

function readScalar(state: State, node: Scalar, path: Path): JsonValue {
  const at = state.place(node.range?.[0] ?? 0);
  if (node.type === 'BLOCK_LITERAL') state.blocks[toPointer(path)] ??= blockStart(state, node);
  const { value } = node;
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  // Beyond 2^53 a number would lose digits; as text it keeps them, and integer types take it.
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  return typeof value === 'number' && Number.isFinite(value) ? value : refuse(state, 'yaml-number', at);
}

/** The line after the header, at the indentation of the first line that has text. */
function blockStart({ text, place }: State, { range }: Scalar): Position {
  const header = place(range?.[0] ?? 0);
  const body = text.slice(range?.[0] ?? 0, range?.[1] ?? 0).replace(/^[^\n]*\n?/, '');
  const indent = /^(?:[ \t\r]*\n)*( *)/.exec(body)?.[1] ?? '';
  return { line: header.line + 1, column: indent.length + 1 };
}

function readMap(state: State, map: YAMLMap, path: Path, depth: number): JsonValue {
  const value: Table<JsonValue> = {};
  const merged: unknown[] = [];
  for (const { key, value: node } of map.items) {
    const name = readKey(state, key);
    if (name === null) continue;
    const below = [...path, name];
    if (name === '<<') merged.push(node);
    else if (isFresh(state, value, name, { key: key as Scalar, below })) {
      value[name] = readNode(state, node as Node, below, depth + 1);
    }
  }
  for (const node of merged) mergeInto(state, value, node as Node, { path, depth });
  return value;
}

function readKey(state: State, key: unknown): string | null {
  if (isScalar(key)) return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
  const offset = (key as Node | null)?.range?.[0] ?? 0;
  refuse(state, 'yaml-key', state.place(offset));
  return null;
}

/** Whether a key is the first of its name; says so where it is not. */
function isFresh(
  state: State,
  value: Table<JsonValue>,
  name: string,
  { key, below }: { key: Scalar; below: Path },
): boolean {
  const at = state.place(key.range?.[0] ?? 0);
  if (name === '__proto__') refuse(state, 'yaml-proto', at);
  if (name === '__proto__') return false;
  if (!Object.hasOwn(value, name)) {
    state.keys[toPointer(below)] ??= at;
    return true;
  }
  const first = state.keys[toPointer(below)];
  state.problems.push({
    code: 'duplicate-key',
    message: `The key ${JSON.stringify(name.slice(0, 64))} is here twice; line ${first?.line ?? 0} has it first.`,
    fix: 'Keep one of the two.',
    position: at,
  });
  return false;
}

/** YAML 1.1's `<<`: what the other maps have and this one has not. */
function mergeInto(
  state: State,
  value: Table<JsonValue>,
  node: Node,
  { path, depth }: { path: Path; depth: number },
): void {
  const sources = isSeq(node) ? (node.items as Node[]) : [node];
  for (const source of sources) {
    const other = readNode(state, source, path, depth + 1);
    if (typeof other === 'object' && other !== null && !Array.isArray(other)) {
      for (const [key, field] of Object.entries(other)) if (!Object.hasOwn(value, key)) value[key] = field;
    } else refuse(state, 'yaml-merge', state.place(source?.range?.[0] ?? 0));
  }
}

const REFUSALS: Readonly<Table<readonly [message: string, fix: string]>> = {
  'yaml-size': [
    `This file stands for more than ${MAX_VALUES} values or ${MAX_DEPTH} levels.`,
    'Make it smaller; aliases count each time they are used.',
  ],
  'yaml-cycle': ['This alias stands for something that contains itself.', 'Write out what is meant.'],
  'yaml-alias': [
    'This alias has no anchor before it.',
    'Define it with & first; put text that begins with * in quotes.',
  ],
  'yaml-number': ['This number is not finite.', 'Write a number that JSON can carry, or put it in quotes.'],
  'yaml-key': ['A key must be text.', 'Write one word or quoted text before the colon.'],
  'yaml-proto': ['No key can be named __proto__.', 'Give it another name.'],
  'yaml-merge': ['`<<` takes a map, an alias of one, or a list of these.', 'Write `<<: *name`.'],
};

/** Only the first problem of a kind that aliases could multiply. */
function refuse(state: State, code: string, position: Position): null {
  const [message = '', fix = ''] = REFUSALS[code] ?? [];
  const known = state.problems.some(
    (problem) => problem.code === code && (code === 'yaml-size' || problem.position.line === position.line),
  );
  if (!known) state.problems.push({ code, message, fix, position });
  return null;
}
