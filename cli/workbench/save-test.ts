import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMap, isScalar, isSeq, type Pair, parseDocument, stringify, type YAMLMap } from 'yaml';
import { sha256Hex } from '../../src/crypto/digest.ts';
import { SvcError } from '../../src/errors.ts';
import type { JsonObject } from '../../src/json.ts';
import type { Project } from '../../src/project/model.ts';
import { toLineDiff } from '../../src/quality/drift/lines.ts';
import { writeWhole } from '../io/write-files.ts';
import type { TestDiff, TestDraft } from './model.ts';
import { endpointOfCard } from './state.ts';

/** Shows how a file would change if a call became one of its tests. Throws `usage` for an unknown endpoint. */
export async function draftTest(project: Project, draft: TestDraft): Promise<TestDiff> {
  const { file, before, after } = await changed(project, draft);
  return { file, diff: toLineDiff(before, after), hash: await sha256Hex(before) };
}

let saving: Promise<unknown> = Promise.resolve();

/**
 * Writes the test. Throws `usage` if the file is no longer the one that the diff was made of. One test is written at a
 * time, so that the second of two pages sees the file of the first.
 */
export function saveTest(project: Project, draft: TestDraft, hash: string): Promise<void> {
  const saved = saving.then(() => writeTest(project, draft, hash));
  saving = saved.catch(() => {});
  return saved;
}

async function writeTest(project: Project, draft: TestDraft, hash: string): Promise<void> {
  const { file, before, after } = await changed(project, draft);
  const path = join(project.root, file);
  const unchanged = async () => (await readFile(path, 'utf8')) === before;
  if ((await sha256Hex(before)) === hash && (await writeWhole(path, after, { when: unchanged }))) return;
  throw new SvcError('usage', `${file} has changed since the difference was shown. Look at it again.`);
}

async function changed(project: Project, draft: TestDraft) {
  const { file, endpoint } = endpointOfCard(project, draft.endpoint);
  const before = await readFile(join(project.root, file), 'utf8');
  return { file, before, after: addTest(before, endpoint.kind, toTest(draft)) };
}

function toTest({ name, arguments: args, user_context, expect }: TestDraft): JsonObject {
  return {
    name,
    arguments: Object.entries(args).map(([key, value]) => ({ key, value })),
    ...(user_context === null ? {} : { user_context }),
    ...expect,
  };
}

/** Adds a test to the text of an endpoint file, whose line ends stay. Throws like `addLines`. */
export function addTest(text: string, kind: string, test: JsonObject): string {
  const isWindows = text.includes('\r\n') && !/(?<!\r)\n/.test(text);
  if (!isWindows) return addLines(text, kind, test);
  return addLines(text.replaceAll('\r\n', '\n'), kind, test).replaceAll('\n', '\r\n');
}

/**
 * Adds a test to the text of an endpoint file. A block list grows by the lines of the test, and nothing else changes. A
 * list in one line, or a file with aliases, is written anew by the YAML package, which keeps comments. Throws
 * `config_invalid` for a text that is no endpoint.
 */
function addLines(text: string, kind: string, test: JsonObject): string {
  // The printer would round integers beyond 2^53.
  const document = parseDocument(text, { uniqueKeys: false, intAsBigInt: true });
  const endpoint = document.get(kind, true);
  if (document.errors.length > 0 || !isMap(endpoint)) {
    throw new SvcError('config_invalid', `The file has no ${kind}, or is no YAML. Correct it first.`);
  }
  const spliced = insertBlock(text, endpoint, test);
  if (spliced !== null && countTests(spliced, kind) === countTests(text, kind) + 1) return spliced;
  const tests = document.getIn([kind, 'tests'], true);
  if (isSeq(tests)) tests.add(document.createNode(test));
  else document.setIn([kind, 'tests'], document.createNode([test]));
  return document.toString({ lineWidth: 0 });
}

/** The text with the lines of a test; null if the place for them is not in block style. */
function insertBlock(text: string, endpoint: YAMLMap, test: JsonObject): string | null {
  const pair = endpoint.items.find(({ key }) => isScalar(key) && key.value === 'tests');
  if (pair === undefined) return insertAfterMap(text, endpoint, test);
  const { value } = pair;
  const [last] = isSeq(value) ? value.items.slice(-1) : [];
  if (!isSeq(value) || value.flow === true || !hasRange(last)) return null;
  const dash = text.lastIndexOf('-', last.range[0]);
  return insertAt(text, lastOfLine(text, last.range[1]), block([test], columnOf(text, dash)));
}

/** Adds the key after the last one of an endpoint without tests. */
function insertAfterMap(text: string, endpoint: YAMLMap, test: JsonObject): string | null {
  const [first] = endpoint.items;
  const last = endpoint.items.at(-1) as Pair | undefined;
  if (endpoint.flow === true || !hasRange(first?.key) || !hasRange(last?.value)) return null;
  const indent = columnOf(text, first.key.range[0]);
  const lines = `${' '.repeat(indent)}tests:\n${block([test], indent + 2)}`;
  return insertAt(text, lastOfLine(text, last.value.range[1]), lines);
}

interface Ranged {
  readonly range: readonly [number, number, number];
}

function hasRange(node: unknown): node is Ranged {
  return typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range);
}

/** The end of the line on which a value ends; a value in block style ends at the start of the next line. */
function lastOfLine(text: string, end: number): number {
  const inside = text[end - 1] === '\n' ? end - 1 : end;
  const next = text.indexOf('\n', inside);
  return next < 0 ? text.length : next;
}

function insertAt(text: string, offset: number, lines: string): string {
  return `${text.slice(0, offset)}\n${lines}${text.slice(offset) === '' ? '\n' : text.slice(offset)}`;
}

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1);
}

/** A list in block style, without the last line break. */
function block(list: readonly JsonObject[], indent: number): string {
  const lines = stringify(list, { lineWidth: 0, collectionStyle: 'any' }).trimEnd().split('\n');
  return lines.map((line) => (line === '' ? '' : `${' '.repeat(indent)}${line}`)).join('\n');
}

function countTests(text: string, kind: string): number {
  const document = parseDocument(text, { uniqueKeys: false });
  const tests = document.getIn([kind, 'tests'], true);
  return document.errors.length > 0 ? Number.NaN : isSeq(tests) ? tests.items.length : 0;
}
