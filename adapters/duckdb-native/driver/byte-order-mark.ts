type Api = Pick<typeof import('@duckdb/node-api'), 'DuckDBVarCharVector'>;

const ENTRY_BYTES = 16;
/** Behind its length, the first four bytes of a text are always in its entry. */
const PREFIX_AT = 4;
const SHORTEST = 3;
const MARK = [0xef, 0xbb, 0xbf] as const;

/** The driver's decoder takes a byte order mark at the start of a text for its own and drops it; here it stays. */
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
