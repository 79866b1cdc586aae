import { isObject, type JsonObject, type JsonValue, toTextOrJson } from '../../src/json.ts';
import { count, styled, toColumns } from './output.ts';

const WIDEST = 50;

/** Formats a tool's value for people: rows as a table, text unchanged, anything else as indented JSON. */
export function toText(value: JsonValue, order: readonly string[] = []): string {
  if (typeof value === 'string') return value;
  if (isRows(value)) return toTable(value, order);
  return JSON.stringify(value, null, 2);
}

/** Formats a prompt's messages, each under the name of its role. */
export function toMessageText(value: JsonValue): string {
  if (!isRows(value)) return toText(value);
  const blocks = value.map(({ role, type, prompt, text }) => {
    const head = styled('strong', type === 'resource' ? `${role} (resource ${prompt}):` : `${role}:`);
    const body = type === 'resource' ? text : prompt;
    return body === undefined ? head : `${head}\n${body}`;
  });
  return blocks.join('\n\n');
}

function isRows(value: JsonValue): value is readonly JsonObject[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
}

/** Formats rows. Their columns have the given order, and the others that of their first appearance. */
function toTable(rows: readonly JsonObject[], order: readonly string[]): string {
  const present = new Set(rows.flatMap((row) => Object.keys(row)));
  const columns = [...new Set([...order.filter((name) => present.has(name)), ...present])];
  const head = columns.map((column) => styled('strong', column));
  const body = rows.map((row) => columns.map((column) => toCell(row[column] ?? null)));
  return `${toColumns([head, ...body])}\n${styled('dim', `(${count(rows.length, 'row')})`)}`;
}

/** Shortens a value to a table cell; --json prints all of it. */
function toCell(value: JsonValue): string {
  const text = value === null ? '' : toTextOrJson(value);
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ');
  return line.length > WIDEST ? `${line.slice(0, WIDEST - 1)}…` : line;
}
