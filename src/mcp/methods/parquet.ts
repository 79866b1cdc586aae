import type { JsonValue } from '../../json.ts';
import { type Table, toCell } from './rows.ts';

/*
 * A Parquet writer for rows that policies have already filtered and masked, which no engine could write for us. One row
 * group, no compression, four types: Parquet's format version 1, in the compact protocol of Thrift.
 */

const MAGIC = [0x50, 0x41, 0x52, 0x31];
const TYPES = { boolean: 0, integer: 2, double: 5, text: 6 } as const;
type ColumnType = keyof typeof TYPES;

/** Writes a table as a Parquet file. Numbers and booleans keep their types; all other values are texts. */
export function toParquet({ columns, rows }: Table): Uint8Array<ArrayBuffer> {
  const file = createBytes();
  file.raw(MAGIC);
  // A file needs a column, also without rows.
  const names = columns.length === 0 ? ['value'] : columns;
  const chunks = names.map((name) => {
    const values = rows.map((row) => row[name] ?? null);
    const type = typeOf(values);
    const page = toPage(type, values);
    const header = toPageHeader(page.length, values.length);
    const offset = file.length;
    file.raw(header);
    file.raw(page);
    return { name, type, offset, size: header.length + page.length };
  });
  const footer = toFooter(chunks, rows.length);
  file.raw(footer);
  file.int32(footer.length);
  file.raw(MAGIC);
  return file.take();
}

interface Chunk {
  readonly name: string;
  readonly type: ColumnType;
  readonly offset: number;
  readonly size: number;
}

function typeOf(values: readonly JsonValue[]): ColumnType {
  const present = values.filter((value) => value !== null);
  if (present.length === 0) return 'text';
  if (present.every((value) => typeof value === 'boolean')) return 'boolean';
  if (present.every((value) => Number.isSafeInteger(value) && !Object.is(value, -0))) return 'integer';
  return present.every((value) => typeof value === 'number') ? 'double' : 'text';
}

/** The definition levels, which tell nulls, and then the other values. */
function toPage(type: ColumnType, values: readonly JsonValue[]): Uint8Array {
  const page = createBytes();
  const levels = createBytes();
  const packed = toBits(values.map((value) => value !== null));
  levels.varint((packed.length << 1) | 1);
  levels.raw(packed);
  page.int32(levels.length);
  page.raw(levels.take());
  const present = values.filter((value) => value !== null);
  if (type === 'boolean') page.raw(toBits(present.map((value) => value === true)));
  else for (const value of present) WRITERS[type](page, value);
  return page.take();
}

const encoder = new TextEncoder();

const WRITERS = {
  integer: (page, value) => page.int64(BigInt(Number(value))),
  double: (page, value) => page.double(Number(value)),
  text: (page, value) => {
    const bytes = encoder.encode(toCell(value));
    page.int32(bytes.length);
    page.raw(bytes);
  },
} satisfies Record<Exclude<ColumnType, 'boolean'>, (page: Bytes, value: JsonValue) => void>;

/** Eight flags a byte, the first one lowest. */
function toBits(flags: readonly boolean[]): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(flags.length / 8));
  for (const [index, flag] of flags.entries()) {
    const place = index >> 3;
    if (flag) bytes[place] = (bytes[place] ?? 0) | (1 << (index & 7));
  }
  return bytes;
}

const PLAIN = 0;
const RLE = 3;

function toPageHeader(size: number, values: number): Uint8Array {
  const levels: Fields = [
    [1, int(values)],
    [2, int(PLAIN)],
    [3, int(RLE)],
    [4, int(RLE)],
  ];
  return toStruct([
    [1, int(0)],
    [2, int(size)],
    [3, int(size)],
    [5, struct(levels)],
  ]);
}

function toFooter(chunks: readonly Chunk[], rows: number): Uint8Array {
  const root: Fields = [
    [4, text('schema')],
    [5, int(chunks.length)],
  ];
  const elements = chunks.map(
    ({ name, type }): Fields => [
      [1, int(TYPES[type])],
      [3, int(1)],
      [4, text(name)],
      ...(type === 'text' ? ([[6, int(0)]] as const) : []),
    ],
  );
  const group: Fields = [
    [
      1,
      list(
        STRUCT,
        chunks.map((chunk) => struct(toColumn(chunk, rows))),
      ),
    ],
    [2, long(chunks.reduce((sum, { size }) => sum + size, 0))],
    [3, long(rows)],
  ];
  return toStruct([
    [1, int(1)],
    [2, list(STRUCT, [root, ...elements].map(struct))],
    [3, long(rows)],
    [4, list(STRUCT, [struct(group)])],
    [6, text('svc')],
  ]);
}

function toColumn({ name, type, offset, size }: Chunk, rows: number): Fields {
  const metadata: Fields = [
    [1, int(TYPES[type])],
    [2, list(INT, [int(PLAIN), int(RLE)])],
    [3, list(BINARY, [text(name)])],
    [4, int(0)],
    [5, long(rows)],
    [6, long(size)],
    [7, long(size)],
    [9, long(offset)],
  ];
  return [
    [2, long(offset)],
    [3, struct(metadata)],
  ];
}

/** Types of the compact protocol. */
const INT = 5;
const LONG = 6;
const BINARY = 8;
const LIST = 9;
const STRUCT = 12;

interface Value {
  readonly type: number;
  readonly write: (bytes: Bytes) => void;
}
/** The fields of a struct with their ids, in ascending order. */
type Fields = readonly (readonly [id: number, value: Value])[];

function int(value: number): Value {
  return { type: INT, write: (bytes) => bytes.varint(value * 2) };
}

function long(value: number): Value {
  return { type: LONG, write: (bytes) => bytes.varint(value * 2) };
}

function text(value: string): Value {
  return {
    type: BINARY,
    write: (bytes) => {
      const encoded = encoder.encode(value);
      bytes.varint(encoded.length);
      bytes.raw(encoded);
    },
  };
}

function list(type: number, values: readonly Value[]): Value {
  return {
    type: LIST,
    write: (bytes) => {
      bytes.raw([0xf0 | type]);
      bytes.varint(values.length);
      for (const value of values) value.write(bytes);
    },
  };
}

function struct(fields: Fields): Value {
  return { type: STRUCT, write: (bytes) => bytes.raw(toStruct(fields)) };
}

function toStruct(fields: Fields): Uint8Array {
  const bytes = createBytes();
  let last = 0;
  for (const [id, { type, write }] of fields) {
    bytes.raw([((id - last) << 4) | type]);
    write(bytes);
    last = id;
  }
  bytes.raw([0]);
  return bytes.take();
}

type Bytes = ReturnType<typeof createBytes>;

/** A growing buffer; numbers are little-endian. */
function createBytes() {
  let buffer = new Uint8Array(256);
  let view = new DataView(buffer.buffer);
  let end = 0;
  const reserve = (size: number): number => {
    if (end + size > buffer.length) {
      const larger = new Uint8Array(Math.max(buffer.length * 2, end + size));
      larger.set(buffer.subarray(0, end));
      buffer = larger;
      view = new DataView(buffer.buffer);
    }
    end += size;
    return end - size;
  };
  return {
    get length() {
      return end;
    },
    raw(bytes: ArrayLike<number>) {
      const at = reserve(bytes.length);
      buffer.set(bytes, at);
    },
    int32(value: number) {
      const at = reserve(4);
      view.setInt32(at, value, true);
    },
    int64(value: bigint) {
      const at = reserve(8);
      view.setBigInt64(at, value, true);
    },
    double(value: number) {
      const at = reserve(8);
      view.setFloat64(at, value, true);
    },
    /** An unsigned number of less than 2^53 in groups of seven bits. */
    varint(value: number) {
      let rest = value;
      while (rest >= 0x80) {
        this.raw([(rest % 0x80) | 0x80]);
        rest = Math.floor(rest / 0x80);
      }
      this.raw([rest]);
    },
    take: () => buffer.slice(0, end),
  };
}
