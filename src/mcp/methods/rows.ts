import { isList, isObject, type JsonObject, type JsonValue, toTextOrJson } from '../../json.ts';

/** The rows of a table and its columns. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly JsonObject[];
}

/**
 * Reads a value as a table: a list of objects, a list of scalars, or one object; null for a scalar. The columns have the given
 * order, and the others that of their first appearance.
 */
export function toTable(value: JsonValue, order: readonly string[] = []): Table | null {
  const items = isList(value) ? value : isObject(value) ? [value] : null;
  if (items === null) return null;
  const rows = items.map((item): JsonObject => (isObject(item) ? item : { value: item }));
  const columns = new Set<string>();
  for (const row of rows) for (const name of Object.keys(row)) columns.add(name);
  return { columns: [...new Set([...order.filter((name) => columns.has(name)), ...columns])], rows };
}

/** Formats a cell: nothing for null, a text as it is, any other value as JSON. */
export function toCell(value: JsonValue | undefined): string {
  return value === undefined || value === null ? '' : toTextOrJson(value);
}

/**
 * Formats a table as CSV with a header (RFC 4180). An empty text is quoted, so that it differs from null. Null is quoted too
 * if there is one column, because readers skip lines without anything.
 */
export function toCsv({ columns, rows }: Table, newline = '\r\n'): string {
  const isSingle = columns.length === 1;
  const lines = rows.map((row) =>
    columns
      .map((name) =>
        row[name] === '' || (isSingle && toCell(row[name]) === '') ? '""' : quoted(toCell(row[name])),
      )
      .join(','),
  );
  return [columns.map(quoted).join(','), ...lines, ''].join(newline);
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Formats a table as Markdown (GitHub's tables). */
export function toMarkdownTable({ columns, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escaped).join(' | ')} |`;
  const rule = `|${columns.map(() => '---|').join('')}`;
  return [line(columns), rule, ...rows.map((row) => line(columns.map((name) => toCell(row[name]))))].join(
    '\n',
  );
}

function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('|', '\\|')
    .replaceAll(/\r\n?|\n/g, '<br>');
}
