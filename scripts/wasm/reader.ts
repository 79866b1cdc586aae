/** Reads a WebAssembly binary from front to back. */
export class Reader {
  readonly bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  byte(): number {
    const value = this.bytes[this.at];
    if (value === undefined) throw new Error(`the module ends early, at byte ${this.at}`);
    this.at += 1;
    return value;
  }

  /** An unsigned LEB128 number of up to 32 bits. */
  number(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  }

  /** Passes over a LEB128 number of any width. */
  skipNumber(): void {
    while (this.byte() >= 128);
  }

  /** Passes over so many bytes. */
  skip(count: number): void {
    this.at += count;
  }

  name(): string {
    const length = this.number();
    this.at += length;
    return new TextDecoder().decode(this.bytes.subarray(this.at - length, this.at));
  }
}

/** A number as unsigned LEB128. */
export function toLeb(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest % 128) + 128);
  }
}
