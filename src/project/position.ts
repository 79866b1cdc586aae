/** A place in a text file, both 1-based. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Keys and indexes from the root of a YAML file down. */
export type Path = readonly (string | number)[];

/** Where each node of a YAML file is, by JSON pointer; the root is ''. */
export type Positions = { readonly [pointer: string]: Position };

/** A path as JSON pointer (RFC 6901). */
export function toPointer(path: Path): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The place of a node; for one that is not there, the place of the nearest node around it. */
export function positionAt(positions: Positions, path: Path): Position {
  for (let length = path.length; length >= 0; length -= 1) {
    const found = positions[toPointer(path.slice(0, length))];
    if (found) return found;
  }
  return { line: 1, column: 1 };
}

/** The place that is so many characters into a text which begins at `start`. */
export function positionInside(start: Position, text: string, offset: number): Position {
  const lines = text.slice(0, offset).split('\n');
  const last = lines.at(-1) ?? '';
  return { line: start.line + lines.length - 1, column: start.column + last.length };
}
