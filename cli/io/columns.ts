import { stripVTControlCharacters } from 'node:util';

/** Aligns rows in columns. Colours have no width, and the last column is not padded. */
export function toColumns(rows: readonly (readonly string[])[], indent = ''): string {
  const widths = widthsOf(rows);
  return rows
    .map((row) => {
      const cells = row.map((cell, column) =>
        column === row.length - 1 ? cell : cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)),
      );
      return indent + cells.join('  ').trimEnd();
    })
    .join('\n');
}

/** Goes row by row, because there may be more rows than a call takes arguments. */
function widthsOf(rows: readonly (readonly string[])[]): readonly number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
    }
  }
  return widths;
}

function widthOf(cell: string): number {
  return stripVTControlCharacters(cell).length;
}
