/** A row of a result. */
export interface Row {
  readonly [column: string]: unknown;
}

/** The rows of a result. A list has one row for each item; anything else is one row. Older clients get a list as `{result: list}`. */
export function toRows(value: unknown): readonly Row[] {
  const only = isRow(value) && Object.keys(value).length === 1 && 'result' in value ? value.result : value;
  const items: readonly unknown[] = Array.isArray(only)
    ? only
    : only === undefined || only === null
      ? []
      : [only];
  return items.map((item) => (isRow(item) ? item : { value: item }));
}

/** The columns of rows: those of a given order, then others by their first appearance. Objects give names of digits first. */
export function columnNames(rows: readonly Row[], order: readonly string[] = []): readonly string[] {
  const names = new Set(order);
  for (const row of rows) for (const name of Object.keys(row)) names.add(name);
  return [...names];
}

/** Rows as CSV with a header. */
export function toCsv(rows: readonly Row[], columns: readonly string[]): string {
  const cell = (value: unknown) => {
    const text =
      value === null || value === undefined
        ? ''
        : typeof value === 'object'
          ? JSON.stringify(value)
          : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = rows.map((row) => columns.map((name) => cell(row[name])).join(','));
  return `${[columns.map(cell).join(','), ...lines].join('\r\n')}\r\n`;
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
