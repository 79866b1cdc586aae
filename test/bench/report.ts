/** The report of one group of measurements: a table in Markdown, and whether all budgets are kept. */
export interface Report {
  readonly table: string;
  readonly kept: boolean;
}

/** A table in Markdown with aligned columns. */
export function toLines(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = head.map((name, column) =>
    Math.max(name.length, ...lines.map((line) => (line[column] ?? '').length)),
  );
  const toLine = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [head, widths.map((width) => '-'.repeat(width)), ...lines].map(toLine).join('\n');
}
