// Without ignoreBOM the decoder would drop a byte order mark at the start of a text.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();
const STRING_BYTES = 16;
const INLINE_BYTES = 12;
/** Longer texts are decoded faster by the decoder. */
const SHORT_BYTES = 24;

/** The engine's memory, read and written with views that follow its growth. */
export class Heap {
  readonly memory: WebAssembly.Memory;
  #bytes: Uint8Array<ArrayBuffer>;
  #view: DataView;

  constructor(memory: WebAssembly.Memory) {
    this.memory = memory;
    this.#bytes = new Uint8Array(memory.buffer);
    this.#view = new DataView(memory.buffer);
  }

  /** All of memory. Do not keep it across a call into the engine, which may grow memory. */
  get bytes(): Uint8Array<ArrayBuffer> {
    // Growing detaches the old buffer, which leaves its views empty.
    if (this.#bytes.length === 0) this.#refresh();
    return this.#bytes;
  }

  /** All of memory as a DataView. Do not keep it across a call into the engine. */
  get view(): DataView {
    if (this.#bytes.length === 0) this.#refresh();
    return this.#view;
  }

  u32(at: number): number {
    return this.view.getUint32(at, true);
  }

  setU32(at: number, value: number): void {
    this.view.setUint32(at, value, true);
  }

  /** A copy of the bytes there. */
  copy(at: number, length: number): Uint8Array<ArrayBuffer> {
    return this.bytes.slice(at, at + length);
  }

  /** UTF-8 text of a known length. */
  text(at: number, length: number): string {
    return decoder.decode(this.bytes.subarray(at, at + length));
  }

  /** Reads UTF-8 text up to its zero byte; the null pointer gives the empty text. */
  cString(at: number): string {
    if (at === 0) return '';
    const length = this.bytes.indexOf(0, at) - at;
    return length <= SHORT_BYTES ? this.#shortText(at, length) : this.text(at, length);
  }

  /** The bytes of a string or blob in a vector: short ones are inline behind their length, long ones behind a pointer. */
  stringBytes(data: number, row: number): Uint8Array<ArrayBuffer> {
    const entry = data + row * STRING_BYTES;
    const length = this.u32(entry);
    const start = length <= INLINE_BYTES ? entry + 4 : this.u32(entry + 8);
    return this.bytes.subarray(start, start + length);
  }

  /** The length of a string or blob in a vector, in bytes. */
  stringLength(data: number, row: number): number {
    return this.u32(data + row * STRING_BYTES);
  }

  /** The text of one string of a vector. */
  string(data: number, row: number): string {
    const entry = data + row * STRING_BYTES;
    const length = this.u32(entry);
    if (length > INLINE_BYTES) return this.text(this.u32(entry + 8), length);
    return this.#shortText(entry + 4, length);
  }

  /** Decodes short ASCII text by itself, which is faster than a call of the decoder. */
  #shortText(at: number, length: number): string {
    const { bytes } = this;
    let text = '';
    for (let index = at; index < at + length; index += 1) {
      const code = bytes[index] ?? 0;
      if (code > 127) return this.text(at, length);
      text += String.fromCharCode(code);
    }
    return text;
  }

  /** Writes numbers as consecutive 32-bit words. */
  words(at: number, values: readonly number[]): void {
    values.forEach((value, index) => {
      this.setU32(at + index * 4, value);
    });
  }

  #refresh(): void {
    this.#bytes = new Uint8Array(this.memory.buffer);
    this.#view = new DataView(this.memory.buffer);
  }
}

/** Encodes text as UTF-8 with a zero byte at the end. */
export function toCString(text: string): Uint8Array {
  return encoder.encode(`${text}\0`);
}
