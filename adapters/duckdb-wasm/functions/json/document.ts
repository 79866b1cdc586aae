import { SvcError } from '../../../../src/errors.ts';
import type { CppInstance } from '../cpp.ts';
import { type Bytes, setBytes } from '../vector.ts';

/*
 * DuckDB's own JSON parser, yyjson, is part of the engine. A document is an array of values of 16 bytes, a container
 * before what it holds: a tag (kind in the lower byte, length in the rest) and what the kind needs.
 */

const VALUE_BYTES = 16;
const STRINGS_AT = 28;

/** The parser's number for an error that is not the text's. */
const NO_MEMORY = 2;

/** The parser's flags: NaN and infinities, a comma after the last item, large numbers unchanged. */
const READ = 0x04 | 0x10 | 0x80;
const WRITE = { plain: 0x08, pretty: 0x09 } as const;

/** Up to this many names are searched for one by one. For more, a table of all fields is faster. */
const FEW_NAMES = 4;

/** The kinds of values, as the lower bits of their tags. */
export const KIND = {
  raw: 0x01,
  null: 0x02,
  false: 0x03,
  true: 0x0b,
  unsigned: 0x04,
  signed: 0x0c,
  real: 0x14,
  text: 0x05,
  plainText: 0x0d,
  array: 0x06,
  object: 0x07,
} as const;

const KIND_NAMES: { readonly [kind: number]: string } = {
  [KIND.null]: 'NULL',
  [KIND.text]: 'VARCHAR',
  [KIND.plainText]: 'VARCHAR',
  [KIND.array]: 'ARRAY',
  [KIND.object]: 'OBJECT',
  [KIND.true]: 'BOOLEAN',
  [KIND.false]: 'BOOLEAN',
  [KIND.unsigned]: 'UBIGINT',
  [KIND.signed]: 'BIGINT',
};

/** DuckDB's name of a kind of values. */
export function kindName(kind: number): string {
  return KIND_NAMES[kind] ?? 'DOUBLE';
}

/** Reads and writes JSON in the engine's memory; a value is the address of it in its document. */
export class Json {
  readonly #instance: CppInstance;
  readonly #error: number;

  constructor(instance: CppInstance) {
    this.#instance = instance;
    this.#error = instance.allocate(VALUE_BYTES);
  }

  /** Runs with the root of the document in a text. Throws if the text is not a document. */
  read<T>(text: Bytes, use: (root: number) => T): T {
    return this.readAll([text], ([root = 0]) => use(root));
  }

  /** Runs with the roots of several documents at once. The root of a missing text is 0. */
  readAll<T>(texts: readonly (Bytes | null)[], use: (roots: readonly number[]) => T): T {
    const { cpp, heap } = this.#instance;
    const documents: number[] = [];
    try {
      for (const text of texts) {
        const document = text === null ? 0 : cpp.jsonRead(text.at, text.length, READ, 0, this.#error);
        if (text !== null && document === 0) throw this.malformed(text);
        documents.push(document);
      }
      return use(documents.map((document) => (document === 0 ? 0 : heap.u32(document))));
    } finally {
      for (const document of documents) if (document !== 0) this.#free(document);
    }
  }

  /** Returns why a text is not JSON; null if it is. Throws `memory_exceeded` if that cannot be found out. */
  problem(text: Bytes): string | null {
    const document = this.#instance.cpp.jsonRead(text.at, text.length, READ, 0, this.#error);
    if (document === 0) return this.malformed(text).message;
    this.#free(document);
    return null;
  }

  /** Returns the error of the text that could not be read last. Throws `memory_exceeded` if the text is not the cause. */
  malformed({ at, length }: Bytes): SvcError {
    const { heap } = this.#instance;
    if (heap.u32(this.#error) === NO_MEMORY) throw noMemory();
    const [reason, position] = [heap.cString(heap.u32(this.#error + 4)), heap.u32(this.#error + 8)];
    const shown = length > 50 ? `${heap.text(at, 47)}...` : heap.text(at, length);
    const message = `Malformed JSON at byte ${position} of input: ${reason}.  Input: "${shown.replaceAll('\r', '\\r')}"`;
    return new SvcError('sql_failed', message);
  }

  /** Runs with a value's own text. */
  write<T>(value: number, use: (text: Bytes) => T, form: keyof typeof WRITE = 'plain'): T {
    const { call, cpp, heap } = this.#instance;
    const at = cpp.jsonWrite(value, WRITE[form], 0, this.#error, 0);
    if (at === 0) throw noMemory();
    try {
      return use({ at, length: heap.u32(this.#error) });
    } finally {
      call.free(at);
    }
  }

  /** Puts a value's own text into a row of a vector. */
  put(value: number, vector: number, row: number, form: keyof typeof WRITE = 'plain'): void {
    this.write(value, (text) => setBytes(this.#instance, vector, row, text), form);
  }

  /** A value's own text. */
  text(value: number): string {
    return this.write(value, ({ at, length }) => this.#instance.heap.text(at, length));
  }

  kind(value: number): number {
    return (this.#instance.heap.bytes[value] ?? 0) & 0x1f;
  }

  isText(value: number): boolean {
    return (this.kind(value) & 0x07) === KIND.text;
  }

  /** Returns the number of items, fields or bytes of a value. */
  length(value: number): number {
    const { heap } = this.#instance;
    return (heap.u32(value) >>> 8) + (heap.u32(value + 4) & 0xff) * 2 ** 24;
  }

  /** The bytes of a text or of a number that stayed as it is. */
  bytes(value: number): Bytes {
    return { at: this.#instance.heap.u32(value + 8), length: this.length(value) };
  }

  /** The text of a text, or of a number that stayed as it is. */
  string(value: number): string {
    const { at, length } = this.bytes(value);
    return this.#instance.heap.text(at, length);
  }

  /** Returns the items of an array; an empty list for other values. */
  items(value: number): readonly number[] {
    return this.kind(value) === KIND.array ? this.#following(value, this.length(value)) : [];
  }

  /** Returns the names of an object; an empty list for other values. */
  names(value: number): readonly number[] {
    return this.#fields(value).filter((_, index) => index % 2 === 0);
  }

  /** Returns the values of an object's fields in the order of their names; nothing for other values. */
  values(value: number): readonly number[] {
    return this.#fields(value).filter((_, index) => index % 2 === 1);
  }

  /** Returns the value of an object's first field with a name; 0 if there is none. */
  field(value: number, name: Uint8Array): number {
    if (this.kind(value) !== KIND.object) return 0;
    let at = value + VALUE_BYTES;
    for (let left = this.length(value); left > 0; left -= 1) {
      if (this.#hasBytes(at, name)) return at + VALUE_BYTES;
      at = this.#next(at + VALUE_BYTES);
    }
    return 0;
  }

  /**
   * Returns a function that finds the value of an object's first field with a name, which is a text in another document;
   * 0 if there is none. It will be called for `count` names.
   */
  finder(value: number, count: number): (name: number) => number {
    if (count > FEW_NAMES) {
      const values = this.values(value);
      // The first of several fields with one name is set last.
      const fields = new Map(
        this.names(value)
          .map((name, index) => [this.string(name), values[index] ?? 0] as const)
          .reverse(),
      );
      return (name) => fields.get(this.string(name)) ?? 0;
    }
    return (name) => {
      const { at, length } = this.bytes(name);
      return this.field(value, this.#instance.heap.copy(at, length));
    };
  }

  /** Returns an array's item; 0 if there is none. */
  item(value: number, index: number): number {
    if (this.kind(value) !== KIND.array || index >= this.length(value)) return 0;
    let at = value + VALUE_BYTES;
    for (let left = index; left > 0; left -= 1) at = this.#next(at);
    return at;
  }

  /** The value that a JSON pointer leads to, if any. */
  pointed(value: number, pointer: string): readonly number[] {
    const { cpp, withText } = this.#instance;
    const found = withText(pointer, (at, length) => cpp.jsonPointer(value, at, length, this.#error));
    return found === 0 ? [] : [found];
  }

  /** Whether two values are the same JSON. */
  equals(left: number, right: number): boolean {
    return this.#instance.cpp.jsonEquals(left, right) !== 0;
  }

  #fields(value: number): readonly number[] {
    return this.kind(value) === KIND.object ? this.#following(value, this.length(value) * 2) : [];
  }

  #following(container: number, count: number): readonly number[] {
    let at = container + VALUE_BYTES;
    return Array.from({ length: count }, () => {
      const value = at;
      at = this.#next(at);
      return value;
    });
  }

  #next(value: number): number {
    const holds = (this.kind(value) & 0x06) === KIND.array;
    return value + (holds ? this.#instance.heap.u32(value + 8) : VALUE_BYTES);
  }

  #hasBytes(value: number, wanted: Uint8Array): boolean {
    const { at, length } = this.bytes(value);
    if (length !== wanted.length) return false;
    const { bytes } = this.#instance.heap;
    return wanted.every((byte, index) => bytes[at + index] === byte);
  }

  #free(document: number): void {
    const { call, heap } = this.#instance;
    call.free(heap.u32(document + STRINGS_AT));
    call.free(document);
  }
}

function noMemory(): SvcError {
  return new SvcError('memory_exceeded', 'There is no memory left for the JSON of this statement.');
}
