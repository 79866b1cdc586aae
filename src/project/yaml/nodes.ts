import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Scalar,
  visit,
  type YAMLMap,
} from 'yaml';
import { isObject, type JsonValue } from '../../json.ts';
import type { SourceIssue } from '../finding.ts';
import { type NodePosition, type Position, type Positions, pointerTo } from './position.ts';

/** The document of the nodes and the state of the walk. */
interface Origin {
  readonly text: string;
  readonly place: (offset: number) => Position;
}

type Table<T> = { [key: string]: T };

interface State extends Origin {
  /** The node to which each alias refers. */
  readonly targets: ReadonlyMap<Node, Node>;
  /** The collections around the node being read. */
  readonly open: Set<Node>;
  readonly positions: Table<NodePosition>;
  readonly keys: Table<Position>;
  readonly problems: SourceIssue[];
  /** Issues that were already reported. */
  readonly told: Set<string>;
  values: number;
}

/** The position of a node in the data. */
interface Place {
  readonly pointer: string;
  readonly depth: number;
}

/** Plain data with the position of each value and each key. */
export interface ReadNodes {
  readonly value: JsonValue;
  readonly positions: Positions;
  readonly keys: Positions;
}

const MAX_VALUES = 20_000;
/** Aliases may nest deeper than brackets. */
const MAX_DEPTH = 100;

/** Converts a parsed document to plain data and resolves aliases and merge keys. Returns issues for an invalid document. */
export function readNodes(
  document: Document.Parsed,
  origin: Origin,
): ReadNodes | { readonly problems: readonly SourceIssue[] } {
  const [positions, keys, problems] = [{}, {}, []];
  const [targets, open, told] = [targetsOf(document), new Set<Node>(), new Set<string>()];
  const state: State = { ...origin, targets, open, positions, keys, problems, told, values: 0 };
  const value = readNode(state, document.contents, { pointer: '', depth: 0 });
  return problems.length > 0 ? { problems } : { value, positions, keys };
}

/** The anchor of each alias: the last one of that name before the alias. */
function targetsOf(document: Document.Parsed): ReadonlyMap<Node, Node> {
  const [anchors, targets] = [new Map<string, Node>(), new Map<Node, Node>()];
  visit(document, {
    Alias: (_, alias) => {
      const target = anchors.get(alias.source);
      if (target) targets.set(alias, target);
    },
    Value: (_, node) => {
      if (node.anchor) anchors.set(node.anchor, node);
    },
  });
  return targets;
}

function readNode(state: State, node: Node | null | undefined, place: Place): JsonValue {
  if (node === null || node === undefined) return null;
  state.values += 1;
  const at = placeOf(state, node);
  state.positions[place.pointer] ??= at;
  if (state.values > MAX_VALUES || place.depth > MAX_DEPTH) return refuse(state, 'yaml-size', at);
  if (isAlias(node)) return readAlias(state, state.targets.get(node), at, place);
  return isScalar(node) ? readScalar(state, node, at, place) : readCollection(state, node, place);
}

function readCollection(state: State, node: Node, { pointer, depth }: Place): JsonValue {
  state.open.add(node);
  const value = isMap(node)
    ? readMap(state, node, { pointer, depth })
    : isSeq(node)
      ? node.items.map((item, index) =>
          readNode(state, item as Node, { pointer: pointerTo(pointer, index), depth: depth + 1 }),
        )
      : null;
  state.open.delete(node);
  return value;
}

function readAlias(
  state: State,
  target: Node | undefined,
  at: Position,
  { pointer, depth }: Place,
): JsonValue {
  if (target && !state.open.has(target)) return readNode(state, target, { pointer, depth: depth + 1 });
  return refuse(state, target ? 'yaml-cycle' : 'yaml-alias', at);
}

function readScalar(state: State, node: Scalar, at: Position, { pointer }: Place): JsonValue {
  const { value } = node;
  if (typeof value === 'string') {
    if (state.positions[pointer] === at) state.positions[pointer] = textStart(state, node, value, at);
    return value;
  }
  if (typeof value === 'boolean' || value === null) return value;
  // A number loses digits beyond 2^53. As text it keeps them, and integer types accept text.
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value !== 'number') return refuse(state, 'yaml-tag', at);
  return Number.isFinite(value) ? value : refuse(state, 'yaml-number', at);
}

/** The position of a text's first character, and whether the text is in the file unchanged. */
function textStart({ text }: State, { type, range }: Scalar, value: string, at: Position): NodePosition {
  const [start = 0, end = 0] = range ?? [];
  if (type === 'BLOCK_LITERAL') return { ...blockStart(text.slice(start, end), at), verbatim: true };
  if (type === 'BLOCK_FOLDED') return blockStart(text.slice(start, end), at);
  const quote = type === 'PLAIN' ? 0 : 1;
  const written = text.slice(start + quote, start + quote + value.length);
  const column = at.column + quote;
  return written === value ? { line: at.line, column, verbatim: true } : { line: at.line, column };
}

/** The first line after the header, at the indentation of the first line that has text. */
function blockStart(block: string, header: Position): Position {
  const body = block.replace(/^[^\n]*\n?/, '');
  const indent = /^(?:[ \t\r]*\n)*( *)/.exec(body)?.[1] ?? '';
  return { line: header.line + 1, column: indent.length + 1 };
}

function readMap(state: State, map: YAMLMap, { pointer, depth }: Place): JsonValue {
  const value: Table<JsonValue> = {};
  const merged: Node[] = [];
  for (const pair of map.items) {
    const [key, node] = [pair.key as Node | null, pair.value as Node | null];
    const name = readKey(state, key);
    if (name === '<<') merged.push(...(node === null ? [] : isSeq(node) ? (node.items as Node[]) : [node]));
    else if (name !== null) {
      const below = { pointer: pointerTo(pointer, name), depth: depth + 1 };
      if (isFresh(state, value, name, placeOf(state, key), below.pointer))
        value[name] = readNode(state, node, below);
    }
  }
  for (const node of merged) mergeInto(state, value, node, { pointer, depth });
  return value;
}

function readKey(state: State, key: Node | null): string | null {
  if (!isScalar(key)) return refuse(state, 'yaml-key', placeOf(state, key));
  const name = typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
  return name === '__proto__' ? refuse(state, 'yaml-proto', placeOf(state, key)) : name;
}

/** Whether a key is the first of its name; reports a repeated key. */
function isFresh(
  state: State,
  value: Table<JsonValue>,
  name: string,
  at: Position,
  pointer: string,
): boolean {
  if (!Object.hasOwn(value, name)) {
    state.keys[pointer] ??= at;
    return true;
  }
  const first = state.keys[pointer]?.line ?? at.line;
  state.problems.push({
    code: 'duplicate-key',
    message: `The key ${JSON.stringify(name.slice(0, 64))} is here twice; line ${first} has it first.`,
    fix: 'Keep one of the two.',
    position: at,
  });
  return false;
}

/** Implements YAML 1.1's `<<`: adds the keys of the other map that this map lacks. */
function mergeInto(state: State, value: Table<JsonValue>, node: Node, { pointer, depth }: Place): void {
  const other = readNode(state, node, { pointer, depth: depth + 1 });
  if (!isObject(other)) {
    refuse(state, 'yaml-merge', placeOf(state, node));
    return;
  }
  for (const [key, field] of Object.entries(other)) if (!Object.hasOwn(value, key)) value[key] = field;
}

function placeOf({ place }: State, node: Node | null): Position {
  return place(node?.range?.[0] ?? 0);
}

const REFUSALS: Readonly<Table<readonly [message: string, fix: string]>> = {
  'yaml-size': [
    `This file stands for more than ${MAX_VALUES} values or ${MAX_DEPTH} levels.`,
    'Make it smaller; what an alias stands for counts each time.',
  ],
  'yaml-cycle': ['This alias stands for something that contains it.', 'Write out the value.'],
  'yaml-alias': [
    'This alias has no anchor before it.',
    'Define it with & first; put text that begins with * in quotes.',
  ],
  'yaml-number': ['This number is not finite.', 'Write a number that JSON can carry, or put it in quotes.'],
  'yaml-tag': ['The tag before this value, such as `!!binary`, has no meaning here.', 'Remove the tag.'],
  'yaml-key': ['A key must be text.', 'Write one word or quoted text before the colon.'],
  'yaml-proto': ['No key can be named __proto__.', 'Give it another name.'],
  'yaml-merge': ['`<<` takes a map, an alias of one, or a list of these.', 'Write `<<: *name`.'],
};

/** Reports an issue once for each line, and one about the size once for each file, because aliases could multiply them. */
function refuse(state: State, code: string, position: Position): null {
  const [message = '', fix = ''] = REFUSALS[code] ?? [];
  const key = code === 'yaml-size' ? code : `${code}:${position.line}`;
  if (!state.told.has(key)) state.problems.push({ code, message, fix, position });
  state.told.add(key);
  return null;
}
