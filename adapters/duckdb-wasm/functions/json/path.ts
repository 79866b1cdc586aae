import { SvcError } from '../../../../src/errors.ts';
import type { Json } from './document.ts';

/** One step of a path: a field by name, an item by position from either end, all of them, or all at any depth. */
type Step =
  | { readonly kind: 'field'; readonly name: Uint8Array }
  | { readonly kind: 'item'; readonly index: number; readonly fromBack: boolean }
  | { readonly kind: 'fields' | 'items' | 'descendants' };

/** A path in a document: the steps of `$.a[0]`, or a pointer such as `/a/0`. */
export interface JsonPath {
  readonly steps: readonly Step[];
  readonly pointer: string | null;
  /** Whether it may lead to any number of values. */
  readonly many: boolean;
}

const encoder = new TextEncoder();
/** `[#]`, the position behind the last item. */
const NOWHERE = 0xffff_ffff;
/** After a dot: all at any depth, all fields, or a name, which at any depth has another dot; in brackets: which items. */
const STEP =
  /\.(?:(?<deep>\*\*|\.\*|\.(?=\[))|(?<fields>\*)|(?<below>\.)?(?:"(?<quoted>(?:[^"\\]|\\[\s\S])+)"|(?<plain>[^.["][^.[]*)))|\[(?:(?<items>\*)|(?<end>#)|(?<back>#?-)?(?<index>\d{1,19}))\]/y;

/** A path in any of the spellings that DuckDB takes; plain text is the name of a field. */
export function parsePath(text: string, isIndex = false): JsonPath {
  if (text === '') return { steps: [], pointer: null, many: false };
  if (text.startsWith('/')) return pointerPath(text);
  if (isIndex) return parseSteps(`$[${text}]`);
  if (text.startsWith('$')) return parseSteps(text);
  return text.includes('"') ? pointerPath(`/${text}`) : parseSteps(`$."${text}"`);
}

/** The values that a path leads to. */
export function find(json: Json, value: number, path: JsonPath): readonly number[] {
  return path.pointer === null ? walk(json, value, path.steps) : json.pointed(value, path.pointer);
}

function pointerPath(pointer: string): JsonPath {
  return { steps: [], pointer, many: false };
}

function parseSteps(text: string): JsonPath {
  const steps: Step[] = [];
  STEP.lastIndex = 1;
  for (let at = 1; at < text.length; at = STEP.lastIndex) {
    const found = STEP.exec(text)?.groups;
    if (!found) throw new SvcError('sql_failed', `JSON path error near '${text.slice(at)}'`);
    steps.push(...stepsOf(found));
  }
  return { steps, pointer: null, many: steps.some(({ kind }) => kind !== 'field' && kind !== 'item') };
}

function stepsOf(found: { readonly [group: string]: string | undefined }): readonly Step[] {
  const { deep, fields, below, quoted, plain, items, end, back, index } = found;
  if (deep) return [{ kind: 'descendants' }];
  if (items) return [{ kind: 'items' }];
  if (end || index)
    return [{ kind: 'item', index: end ? NOWHERE : Number(index), fromBack: back !== undefined }];
  const name = quoted?.replace(/\\(["\\])/g, '$1') ?? plain ?? '';
  // DuckDB knows a wildcard by its name, quotes or none.
  const step: Step =
    fields || name === '*' ? { kind: 'fields' } : { kind: 'field', name: encoder.encode(name) };
  return below ? [{ kind: 'descendants' }, step] : [step];
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

/** Searches a value and everything in it, nearest first. The value itself counts only if the path goes on. */
function descend(json: Json, from: number, rest: readonly Step[]): readonly number[] {
  const all = [from];
  // One by one: a call takes some 100,000 arguments at most, and a document may have more items.
  for (const value of all) {
    for (const item of json.items(value)) all.push(item);
    for (const field of json.values(value)) all.push(field);
  }
  return (rest.length > 0 ? all : all.slice(1)).flatMap((value) => walk(json, value, rest));
}

function stepDown(json: Json, value: number, step: Step): readonly number[] {
  if (step.kind === 'items') return json.items(value);
  if (step.kind === 'fields') return json.values(value);
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
