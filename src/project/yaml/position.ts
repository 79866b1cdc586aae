/** A position in a text file; both numbers count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The first character of a YAML node; for text, the first character after quotes or header. */
export interface NodePosition extends Position {
  /** Set if the text is in the file unchanged, so that each offset in it has a position in the file. */
  readonly verbatim?: true;
}

/** Keys and indexes from the root of a YAML file. */
export type Path = readonly (string | number)[];

/** The position of each node of a YAML file, by JSON pointer; the root is ''. */
export type Positions = { readonly [pointer: string]: NodePosition };

/** The pointer to a child of a node. */
export function pointerTo(pointer: string, key: string | number): string {
  const plain = typeof key === 'number' || !/[~/]/.test(key);
  return `${pointer}/${plain ? key : key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Converts a path to a JSON pointer (RFC 6901). `toPointer(['tool', 'a/b'])` is `/tool/a~1b`. */
export function toPointer(path: Path): string {
  return path.reduce<string>(pointerTo, '');
}

/** The position of a node; for a missing node, the position of the nearest node around it. */
export function positionAt(positions: Positions, path: Path): Position {
  const { line, column } = nearestAt(positions, path);
  return { line, column };
}

/** The position of a character in a text. If the text is not verbatim, the position of the text. */
export function positionInText(start: NodePosition, text: string, offset: number): Position {
  const { line, column, verbatim } = start;
  return verbatim ? toPosition(text, offset, { line, column }) : { line, column };
}

/** The position of an offset in a text whose lines all begin at the same column. */
export function toPosition(text: string, offset: number, start: Position = { line: 1, column: 1 }): Position {
  const lines = text.slice(0, offset).split('\n');
  return { line: start.line + lines.length - 1, column: start.column + (lines.at(-1) ?? '').length };
}

/** The position of a node, or of the nearest node around it. */
export function nearestAt(positions: Positions, path: Path): NodePosition {
  for (let length = path.length; length > 0; length -= 1) {
    const found = positions[toPointer(path.slice(0, length))];
    if (found) return length === path.length ? found : { line: found.line, column: found.column };
  }
  return positions[''] ?? { line: 1, column: 1 };
}
