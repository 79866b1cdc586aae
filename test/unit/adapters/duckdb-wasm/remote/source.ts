import { createHash } from 'node:crypto';
import { ObjectReplaced } from '../../../../../adapters/duckdb-wasm/engine/database-file.ts';
import {
  type BlockDigests,
  blockDigests,
  layoutOf,
} from '../../../../../adapters/duckdb-wasm/remote/blocks.ts';
import type { RangeSource } from '../../../../../adapters/duckdb-wasm/remote/remote-file.ts';

/** One request for a range, held by the test or answered at once. */
export interface RangeRequest {
  readonly offset: number;
  readonly length: number;
  /** The request's number, from 1. */
  readonly number: number;
}

/** How a request is answered: the bytes as they are by default. */
export type Answer = (
  bytes: Uint8Array<ArrayBuffer>,
  request: RangeRequest,
) => Promise<Uint8Array<ArrayBuffer>>;

/** An object store with one object, which a test can make slow, broken or replaced. */
export class FakeStore implements RangeSource {
  readonly name = 'shop.duckdb';
  readonly size: number;
  readonly requests: RangeRequest[] = [];
  answer: Answer = async (bytes) => bytes;
  replaced = false;
  inFlight = 0;
  mostInFlight = 0;
  readonly #bytes: Uint8Array<ArrayBuffer>;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#bytes = bytes;
    this.size = bytes.length;
  }

  async read(offset: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
    const request = { offset, length, number: this.requests.length + 1 };
    this.requests.push(request);
    this.inFlight += 1;
    this.mostInFlight = Math.max(this.mostInFlight, this.inFlight);
    try {
      if (this.replaced) throw new ObjectReplaced('the object has another ETag');
      return await this.answer(this.#bytes.slice(offset, offset + length), request);
    } finally {
      this.inFlight -= 1;
    }
  }
}

/** The digests of every block of these bytes. */
export function digestsOf(bytes: Uint8Array<ArrayBuffer>): BlockDigests {
  const layout = layoutOf(bytes.length);
  const digests = Array.from({ length: layout.count }, (_, block) => {
    const { start, end } = layout.range(block);
    return createHash('sha256').update(bytes.subarray(start, end)).digest();
  });
  return blockDigests(new Uint8Array(Buffer.concat(digests)));
}
