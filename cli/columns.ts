import { stripVTControlCharacters } from 'node:util';

/** Rows as aligned columns; colours count for nothing, the last column is not padded. */
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

function widthsOf(rows: readonly (readonly string[])[]): readonly number[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => widthOf(row[column] ?? ''))),
  );
}

function widthOf(cell: string): number {
  return stripVTControlCharacters(cell).length;
}
