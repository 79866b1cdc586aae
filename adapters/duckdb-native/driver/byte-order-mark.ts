type Api = Pick<typeof import('@duckdb/node-api'), 'DuckDBVarCharVector'>;

const ENTRY_BYTES = 16;
/** The offset of a text's first four bytes in its entry. The length comes before them. */
const PREFIX_AT = 4;
const SHORTEST = 3;
const MARK = [0xef, 0xbb, 0xbf] as const;

/** Keeps a byte order mark at the start of a text. The driver's decoder would drop it. */
export function keepByteOrderMarks({ DuckDBVarCharVector: { prototype } }: Api): void {
  const { getItem } = prototype;
  prototype.getItem = function getWholeItem(index) {
    const text = getItem.call(this, index);
    const entries: unknown = Reflect.get(this, 'dataView');
    if (text === null || !(entries instanceof DataView)) return text;
    return isMarked(entries, index * ENTRY_BYTES) ? `\uFEFF${text}` : text;
  };
}

function isMarked(entries: DataView, at: number): boolean {
  return (
    entries.getUint32(at, true) >= SHORTEST &&
    MARK.every((byte, index) => entries.getUint8(at + PREFIX_AT + index) === byte)
  );
}
