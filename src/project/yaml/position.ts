/** A place in a text file, both 1-based. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Where a node of a YAML file begins; of text, where its first character is. */
export interface NodePosition extends Position {
  /** The text stands in the file character by character, so each place in it is a place in the file. */
  readonly verbatim?: true;
}

/** Keys and indexes from the root of a YAML file down. */
export type Path = readonly (string | number)[];

/** Where each node of a YAML file is, by JSON pointer; the root is ''. */
export type Positions = { readonly [pointer: string]: NodePosition };

/** The pointer to what a key or an index leads to. */
export function pointerTo(pointer: string, key: string | number): string {
  const plain = typeof key === 'number' || !/[~/]/.test(key);
  return `${pointer}/${plain ? key : key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** A path as JSON pointer (RFC 6901). */
export function toPointer(path: Path): string {
  return path.reduce<string>(pointerTo, '');
}

/** The place of a node; for one that is not there, the place of the nearest node around it. */
export function positionAt(positions: Positions, path: Path): Position {
  const { line, column } = nearestAt(positions, path);
  return { line, column };
}

/** The place of a character of a text; the text's own where its characters have none. */
export function positionInText(start: NodePosition, text: string, offset: number): Position {
  const { line, column, verbatim } = start;
  return verbatim ? toPosition(text, offset, { line, column }) : { line, column };
}

/** The place of a character of a text whose lines all begin at a column. */
export function toPosition(text: string, offset: number, start: Position = { line: 1, column: 1 }): Position {
  const lines = text.slice(0, offset).split('\n');
  return { line: start.line + lines.length - 1, column: start.column + (lines.at(-1) ?? '').length };
}

/** What is known of a node's place, or of the nearest one around it. */
export function nearestAt(positions: Positions, path: Path): NodePosition {
  for (let length = path.length; length > 0; length -= 1) {
    const found = positions[toPointer(path.slice(0, length))];
    if (found) return length === path.length ? found : { line: found.line, column: found.column };
  }
  return positions[''] ?? { line: 1, column: 1 };
}
