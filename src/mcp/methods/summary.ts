import type { JsonValue } from '../../json.ts';
import { type Table, toCell, toCsv } from './rows.ts';

/** The most characters of a summary or of a shortened text: about 250 tokens. */
export const MOST_CHARACTERS = 1_000;
const MOST_COLUMNS = 12;
const MOST_ROWS = 5;
const LONGEST_CELL = 40;
/** Values are counted up to this number, which bounds the memory. */
const MOST_DISTINCT = 1_000;

/**
 * Describes a table in at most 1,000 characters: its size, its columns with least, greatest and number of values, and
 * its first rows.
 */
export function summarize(table: Table, { atLeast }: { readonly atLeast: boolean }): string {
  const { columns, rows } = table;
  const size = `${atLeast ? 'More than ' : ''}${count(rows.length, 'row')}, ${count(columns.length, 'column')}.`;
  const named = columns.slice(0, MOST_COLUMNS);
  const described = named.map((name) => `${short(name)}: ${describe(rows.map((row) => row[name] ?? null))}`);
  const rest = columns.length > named.length ? [`and ${columns.length - named.length} more columns`] : [];
  const head = cut([size, ...described, ...rest].join('\n'), MOST_CHARACTERS);
  for (let shown = Math.min(MOST_ROWS, rows.length); shown > 0; shown -= 1) {
    const first = { columns: named, rows: rows.slice(0, shown).map((row) => shortened(row, named)) };
    const text = `${head}\nFirst ${count(shown, 'row')}:\n${toCsv(first, '\n').slice(0, -1)}`;
    if (text.length <= MOST_CHARACTERS) return text;
  }
  return head;
}

/** The first 1,000 characters of a longer text, after a line that gives its length. */
export function shortenText(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  const [shown, all] = [MOST_CHARACTERS, text.length].map((many) => many.toLocaleString('en-US'));
  return `The first ${shown} of ${all} characters:\n${cut(text, MOST_CHARACTERS)}`;
}

function shortened(row: Table['rows'][number], names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, short(toCell(row[name]))]));
}

/** `1 to 5000, 812 distinct, 3 empty` */
function describe(values: readonly JsonValue[]): string {
  const present = values.filter((value) => value !== null);
  if (present.length === 0) return 'empty';
  const range = rangeOf(present);
  const distinct = new Set<string>();
  for (const value of present) {
    if (distinct.size > MOST_DISTINCT) break;
    distinct.add(toCell(value));
  }
  const many = distinct.size > MOST_DISTINCT ? `over ${MOST_DISTINCT} distinct` : `${distinct.size} distinct`;
  const empty = values.length - present.length;
  return [...range, many, ...(empty === 0 ? [] : [`${empty} empty`])].join(', ');
}

/** The least and the greatest value; numbers by their size, also those that are written as texts. */
function rangeOf(values: readonly JsonValue[]): readonly string[] {
  if (values.some((value) => typeof value === 'object')) return [];
  const numeric = values.every((value) => NUMBER.test(String(value)));
  const isLess = (one: JsonValue, other: JsonValue) =>
    numeric ? isLessNumber(String(one), String(other)) : String(one) < String(other);
  let [least, greatest] = [values[0] ?? null, values[0] ?? null];
  for (const value of values) {
    if (isLess(value, least)) least = value;
    if (isLess(greatest, value)) greatest = value;
  }
  return least === greatest
    ? [short(toCell(least))]
    : [`${short(toCell(least))} to ${short(toCell(greatest))}`];
}

/** Whole numbers that a double cannot hold are compared by all their digits. */
function isLessNumber(one: string, other: string): boolean {
  const [left, right] = [Number(one), Number(other)];
  if (left !== right || Number.isSafeInteger(left)) return left < right;
  return INTEGER.test(one) && INTEGER.test(other) && BigInt(one) < BigInt(other);
}

const INTEGER = /^-?\d+$/;
const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

function short(text: string): string {
  return cut(text, LONGEST_CELL);
}

/** Half of a surrogate pair becomes U+FFFD, because strict JSON parsers reject a message that has one. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

function count(many: number, noun: string): string {
  return `${many.toLocaleString('en-US')} ${noun}${many === 1 ? '' : 's'}`;
}
