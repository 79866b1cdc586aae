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

/** The columns of rows, in the order of their first appearance. */
export function columnNames(rows: readonly Row[]): readonly string[] {
  return [...new Set(rows.slice(0, 1_000).flatMap((row) => Object.keys(row)))];
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
