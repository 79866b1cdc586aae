import { SvcError } from '../../../src/errors.ts';
import type { Json } from './document.ts';

/** One step down: by a field's name, by an item's position from either end, to all of them, or to all at any depth. */
type Step =
  | { readonly kind: 'field'; readonly name: Uint8Array }
  | { readonly kind: 'item'; readonly index: number; readonly fromBack: boolean }
  | { readonly kind: 'fields' | 'items' | 'descendants' };

/** Where to look in a document: the steps of `$.a[0]`, or a pointer such as `/a/0`. */
export interface Path {
  readonly steps: readonly Step[];
  readonly pointer: string | null;
  /** It may lead to any number of values. */
  readonly many: boolean;
}

const encoder = new TextEncoder();
/** `[#]`, which is behind the last item. */
const NOWHERE = 0xffff_ffff;
const INDEX = /(?:(#)?(-)|(#))?(\d{0,19})\]|\*\]/y;

/** A path in any of the spellings that DuckDB takes; plain text is the name of a field. */
export function parsePath(text: string, isIndex = false): Path {
  if (text === '') return { steps: [], pointer: null, many: false };
  if (text.startsWith('/')) return pointerPath(text);
  if (isIndex) return parseSteps(`$[${text}]`);
  if (text.startsWith('$')) return parseSteps(text);
  return text.includes('"') ? pointerPath(`/${text}`) : parseSteps(`$."${text}"`);
}

/** The values that a path leads to. */
export function find(json: Json, value: number, path: Path): readonly number[] {
  return path.pointer === null ? walk(json, value, path.steps) : json.pointed(value, path.pointer);
}

function pointerPath(pointer: string): Path {
  return { steps: [], pointer, many: false };
}

function parseSteps(text: string): Path {
  const steps: Step[] = [];
  for (let at = 1; at < text.length; ) {
    const read = at + 1 === text.length ? null : readStep(text, at);
    if (read === null) throw pathError(text, at + 1);
    steps.push(read.step);
    at = read.end;
  }
  return { steps, pointer: null, many: steps.some(({ kind }) => kind !== 'field' && kind !== 'item') };
}

interface Read {
  readonly step: Step;
  readonly end: number;
}

function readStep(text: string, at: number): Read | null {
  if (text[at] === '.') return readField(text, at + 1);
  return text[at] === '[' ? readItem(text, at + 1) : null;
}

function readField(text: string, at: number): Read | null {
  if (text.startsWith('**', at) || text.startsWith('.*', at))
    return { step: { kind: 'descendants' }, end: at + 2 };
  if (text[at] === '*') return { step: { kind: 'fields' }, end: at + 1 };
  // Of `..name` and `..[` the second half is a step of its own.
  if (text.startsWith('.[', at)) return { step: { kind: 'descendants' }, end: at + 1 };
  if (text[at] === '.') return readName(text, at + 1) && { step: { kind: 'descendants' }, end: at };
  return readName(text, at);
}

function readName(text: string, at: number): Read | null {
  const quoted = text[at] === '"';
  const read = quoted ? readQuoted(text, at + 1) : readPlain(text, at);
  if (read === null) return null;
  const { name, end } = read;
  // DuckDB knows a wildcard by its name, quotes or none.
  return { step: name === '*' ? { kind: 'fields' } : { kind: 'field', name: encoder.encode(name) }, end };
}

interface Name {
  readonly name: string;
  readonly end: number;
}

function readPlain(text: string, at: number): Name | null {
  const end = at + text.slice(at).search(/[.[]|$/);
  return end === at ? null : { name: text.slice(at, end), end };
}

function readQuoted(text: string, at: number): Name | null {
  const [whole, inner] = /^((?:[^"\\]|\\[\s\S])*)"/.exec(text.slice(at)) ?? [];
  if (whole === undefined || inner === undefined || inner === '') return null;
  return { name: inner.replace(/\\(["\\])/g, '$1'), end: at + whole.length };
}

function readItem(text: string, at: number): Read | null {
  INDEX.lastIndex = at;
  const found = INDEX.exec(text);
  if (found === null) return null;
  const [whole, , back, end, digits = ''] = found;
  if (whole === '*]') return { step: { kind: 'items' }, end: INDEX.lastIndex };
  if ((digits === '') !== (end !== undefined)) return null;
  const index = end === undefined ? Number(digits) : NOWHERE;
  return { step: { kind: 'item', index, fromBack: back !== undefined }, end: INDEX.lastIndex };
}

function pathError(text: string, at: number): SvcError {
  return new SvcError('sql_failed', `JSON path error near '${text.slice(at - 1)}'`);
}

function walk(json: Json, from: number, steps: readonly Step[]): readonly number[] {
  let values: readonly number[] = [from];
  for (const [index, step] of steps.entries()) {
    if (step.kind === 'descendants')
      return values.flatMap((value) => descend(json, value, steps.slice(index + 1)));
    values = values.flatMap((value) => stepDown(json, value, step));
  }
  return values;
}

/** From a value and everything in it, nearest first; the value itself counts only where the path goes on. */
function descend(json: Json, from: number, rest: readonly Step[]): readonly number[] {
  const all = [from];
  for (const value of all) all.push(...json.items(value), ...valuesOf(json, value));
  return (rest.length > 0 ? all : all.slice(1)).flatMap((value) => walk(json, value, rest));
}

function stepDown(json: Json, value: number, step: Step): readonly number[] {
  if (step.kind === 'items') return json.items(value);
  if (step.kind === 'fields') return valuesOf(json, value);
  if (step.kind === 'descendants') return [];
  const found =
    step.kind === 'field'
      ? json.field(value, step.name)
      : itemOf(json, value, step as Step & { readonly kind: 'item' });
  return found === 0 ? [] : [found];
}

function itemOf(
  json: Json,
  value: number,
  step: { readonly index: number; readonly fromBack: boolean },
): number {
  const { index, fromBack } = step;
  const at = fromBack && index !== 0 ? json.length(value) - index : index;
  return at < 0 ? 0 : json.item(value, at);
}

function valuesOf(json: Json, value: number): readonly number[] {
  return json.fields(value).filter((_, index) => index % 2 === 1);
}
