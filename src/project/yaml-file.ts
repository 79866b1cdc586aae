import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
} from 'yaml';
import { decodeText } from './decode.ts';
import type { Finding } from './finding.ts';

/** Keys and indexes from the root of a YAML document. */
export type YamlPath = readonly (string | number)[];

/** A place in a file, 1-based. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A YAML file as parsed: its value, and where everything in it stands. */
export interface YamlFile {
  readonly file: string;
  readonly value: unknown;
  /** Where the key (or the value) at a path stands; for a path that is not there, its nearest parent. */
  readonly at: (path: YamlPath, what?: 'key' | 'value') => Position;
}

const MAX_BYTES = 1024 * 1024;
const MAX_DEPTH = 64;
const START: Position = { line: 1, column: 1 };

/** Parses one YAML document; whatever is wrong with it is a finding, never an exception. */
export function parseYaml(file: string, bytes: Uint8Array): YamlFile | readonly Finding[] {
  if (bytes.length > MAX_BYTES) {
    return [
      problem(
        file,
        START,
        'file-too-large',
        `The file is larger than ${MAX_BYTES} bytes.`,
        'Split it, or move data into the database.',
      ),
    ];
  }
  const decoded = decodeText(bytes);
  if ('problem' in decoded) {
    const { code, message, fix, position } = decoded.problem;
    return [problem(file, position, code, message, fix)];
  }
  const { text } = decoded;
  const lines = new LineCounter();
  return toDocument(file, text, lines);
}

function toDocument(file: string, text: string, lines: LineCounter): YamlFile | readonly Finding[] {
  const documents = parseAll(text, lines);
  if (documents instanceof Error) {
    return [
      problem(
        file,
        START,
        'yaml-syntax',
        `The YAML cannot be read: ${documents.message}.`,
        'Simplify the file.',
      ),
    ];
  }
  const [document, second] = documents;
  if (document === undefined || document.contents === null) {
    return [
      problem(file, START, 'empty-file', 'The file is empty.', 'Write an endpoint, or remove the file.'),
    ];
  }
  if (second !== undefined) {
    const where = positionOf(lines, second.range?.[0] ?? 0);
    return [
      problem(
        file,
        where,
        'several-documents',
        'The file holds more than one YAML document.',
        'Put each endpoint into a file of its own.',
      ),
    ];
  }
  if (document.errors.length > 0) {
    return document.errors.map(({ message, pos }) =>
      problem(
        file,
        positionOf(lines, pos[0]),
        'yaml-syntax',
        `${firstLine(message)}.`,
        'Mend the YAML at this place.',
      ),
    );
  }
  return toValue(file, document, lines);
}

function parseAll(text: string, lines: LineCounter): readonly Document.Parsed[] | Error {
  try {
    const parsed = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
    return Array.isArray(parsed) ? parsed : [];
  } catch (thrown) {
    return thrown instanceof Error ? thrown : new Error(String(thrown));
  }
}

function toValue(file: string, document: Document.Parsed, lines: LineCounter): YamlFile | readonly Finding[] {
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    if (!isShallow(value, MAX_DEPTH)) {
      return [
        problem(
          file,
          START,
          'too-deep',
          `The YAML is nested deeper than ${MAX_DEPTH} levels.`,
          'Flatten it.',
        ),
      ];
    }
    return {
      file,
      value,
      at: (path: YamlPath, what: 'key' | 'value' = 'value') => positionIn(document, lines, path, what),
    };
  } catch (thrown) {
    const why = thrown instanceof Error ? firstLine(thrown.message) : 'unknown';
    return [
      problem(
        file,
        START,
        'yaml-syntax',
        `The YAML cannot be read: ${why}.`,
        'Write the values out instead of using so many aliases.',
      ),
    ];
  }
}

/** Also false for a value that an alias makes contain itself. */
function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((item) => isShallow(item, depth - 1));
}

function positionIn(
  document: Document.Parsed,
  lines: LineCounter,
  path: YamlPath,
  what: 'key' | 'value',
): Position {
  let node: unknown = document.contents;
  let place = startOf(node);
  for (const [index, step] of path.entries()) {
    const child = childOf(document, node, step);
    if (child === null) break;
    const wantsKey = what === 'key' || index < path.length - 1;
    place = (wantsKey ? startOf(child.key) : null) ?? startOf(child.value) ?? startOf(child.key) ?? place;
    node = child.value;
  }
  return positionOf(lines, place ?? 0);
}

function childOf(
  document: Document.Parsed,
  found: unknown,
  step: string | number,
): { key: unknown; value: unknown } | null {
  const node = isAlias(found) ? found.resolve(document) : found;
  if (isSeq(node))
    return typeof step === 'number' && node.items.length > step
      ? { key: null, value: node.items[step] }
      : null;
  if (!isMap(node)) return null;
  const pair = node.items.find(({ key }) => isNode(key) && String(key) === String(step));
  return isPair(pair) ? { key: pair.key, value: pair.value } : null;
}

function startOf(node: unknown): number | null {
  return isNode(node) ? ((node as Node).range?.[0] ?? null) : null;
}

function positionOf(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

function firstLine(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/[.:]\s*$/, '');
}

function problem(
  file: string,
  { line, column }: Position,
  code: string,
  message: string,
  fix: string,
): Finding {
  return { severity: 'error', code, file, line, column, message, fix };
}
