import type { Manifest } from '../../../src/catalog/manifest.ts';
import { fromBase64Url } from '../../../src/crypto/encoding.ts';
import { messageOf, SvcError } from '../../../src/errors.ts';
import { type Fetched, type FetchedFile, ObjectReplaced } from '../engine/database-file.ts';
import { within } from '../within.ts';
import { BLOCK_BYTES, type BlockDigests, type BlockLayout, blockDigests, layoutOf } from './blocks.ts';
import { createReadAhead, type ReadAhead, unpackColumns } from './read-ahead.ts';

/** The file of an artefact's database, with the digests and columns that its manifest has. */
export function openRemote({ name, remote }: Manifest['database'], source: RangeSource): RemoteFile {
  return new RemoteFile({
    name,
    source,
    digests: blockDigests(fromBase64Url(remote?.digests ?? '') ?? new Uint8Array()),
    readAhead: createReadAhead(unpackColumns(remote?.columns ?? [])),
  });
}

/** Ranges of one version of one object. */
export interface RangeSource {
  /** The object, for messages. */
  readonly name: string;
  /** The size of this version in bytes. */
  readonly size: number;
  /** Reads bytes of this version. Throws `ObjectReplaced` if the object has another version now. */
  read(offset: number, length: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** The parts and limits of a remote file. */
export interface RemoteFileOptions {
  /** The name in the engine's file system. */
  readonly name: string;
  readonly source: RangeSource;
  readonly digests: BlockDigests;
  readonly readAhead?: ReadAhead;
  /** The most bytes of blocks that are kept. */
  readonly cacheBytes?: number;
  /** The time after which an attempt to read a range has failed, in milliseconds. */
  readonly patienceMs?: number;
}

const CACHE_BYTES = 12 * 1_048_576;
const PATIENCE_MS = 5_000;
const IN_FLIGHT = 5;
/** The most bytes of a file that are kept or in flight. */
export const MOST_HELD_BYTES = CACHE_BYTES + IN_FLIGHT * BLOCK_BYTES;
const ATTEMPTS = 3;

/** A range that is being read. Its request may have ended meanwhile, and then the promise never settles. */
interface Load {
  readonly done: Promise<void>;
  readonly since: number;
}

/**
 * A database file in an object store, read by ranges: one for each block. Keeps the blocks used last, has at most five
 * requests in flight, and checks each block against its digest.
 */
export class RemoteFile implements FetchedFile {
  readonly name: string;
  readonly fetched: Fetched = { ranges: 0, bytes: 0 };
  readonly #source: RangeSource;
  readonly #digests: BlockDigests;
  readonly #readAhead: ReadAhead;
  readonly #layout: BlockLayout;
  readonly #cacheBytes: number;
  readonly #patienceMs: number;
  /** The kept blocks, the one used last at the end. */
  readonly #kept = new Map<number, Uint8Array>();
  readonly #loads = new Map<number, Load>();
  #keptBytes = 0;
  #replaced: SvcError | null = null;

  constructor(options: RemoteFileOptions) {
    const { name, source, digests, readAhead = () => [] } = options;
    this.name = name;
    this.#source = source;
    this.#digests = digests;
    this.#readAhead = readAhead;
    this.#layout = layoutOf(source.size);
    this.#cacheBytes = options.cacheBytes ?? CACHE_BYTES;
    this.#patienceMs = options.patienceMs ?? PATIENCE_MS;
  }

  /** The bytes of blocks that are kept. */
  get keptBytes(): number {
    return this.#keptBytes;
  }

  size(): number {
    return this.#source.size;
  }

  want(position: number, length: number): Promise<void> | null {
    if (this.#replaced !== null) return Promise.reject(this.#replaced);
    const blocks = this.#layout.holding(position, length);
    const missing = blocks.filter((block) => !this.#touch(block));
    const loading = missing.map((block) => this.#fetch(block));
    for (const block of blocks) this.#fetchAhead(block);
    return loading.length === 0 ? null : Promise.all(loading).then(() => {});
  }

  /** Reads bytes of kept blocks. Throws if one is missing; `want` fetches it. */
  read(target: Uint8Array, position: number): number {
    let done = 0;
    for (const block of this.#layout.holding(position, target.length)) {
      const bytes = this.#kept.get(block);
      if (bytes === undefined) throw new Error(`block ${block} of ${this.#source.name} is not here`);
      const from = position + done - this.#layout.range(block).start;
      const part = bytes.subarray(from, from + target.length - done);
      target.set(part, done);
      done += part.length;
    }
    return done;
  }

  close(): void {
    this.#kept.clear();
    this.#keptBytes = 0;
  }

  #touch(block: number): boolean {
    const bytes = this.#kept.get(block);
    if (bytes === undefined) return false;
    this.#kept.delete(block);
    this.#kept.set(block, bytes);
    return true;
  }

  /** Fetches a block, in up to three attempts. Every waiting request has its own timer, because it may outlive others. */
  async #fetch(block: number): Promise<void> {
    for (let attempt = 1; !this.#kept.has(block); attempt += 1) {
      const load = this.#loads.get(block) ?? (await this.#begin(block));
      try {
        await within(load.done, this.#patienceMs);
      } catch (cause) {
        if (this.#loads.get(block) === load) this.#loads.delete(block);
        if (cause instanceof ObjectReplaced) throw this.#markReplaced(cause);
        if (attempt === ATTEMPTS) throw unreadable(this.#source.name, cause);
      }
    }
  }

  /** Begins to load as soon as fewer than five requests are in flight. */
  async #begin(block: number): Promise<Load> {
    while (this.#busy()) {
      const others = [...this.#loads.values()].map(({ done }) => done.catch(() => {}));
      await within(Promise.race(others), this.#patienceMs).catch(() => {});
    }
    return this.#loads.get(block) ?? this.#load(block);
  }

  #load(block: number): Load {
    const load: Load = { done: this.#read(block), since: Date.now() };
    this.#loads.set(block, load);
    const end = (): void => {
      if (this.#loads.get(block) === load) this.#loads.delete(block);
    };
    load.done.then(end, end);
    return load;
  }

  async #read(block: number): Promise<void> {
    const { start, end } = this.#layout.range(block);
    // Counted now, in the turn of the call that asks. The bytes may arrive in the turn of another one.
    this.fetched.ranges += 1;
    this.fetched.bytes += end - start;
    const bytes = await this.#source.read(start, end - start);
    if (bytes.length !== end - start) throw new Error(`a range of ${end - start} bytes has ${bytes.length}`);
    await this.#digests.check(block, bytes);
    this.#keep(block, bytes);
  }

  #keep(block: number, bytes: Uint8Array): void {
    if (this.#kept.has(block)) return;
    this.#kept.set(block, bytes);
    this.#keptBytes += bytes.length;
    for (const [oldest, old] of this.#kept) {
      if (this.#keptBytes <= this.#cacheBytes || oldest === block) return;
      this.#kept.delete(oldest);
      this.#keptBytes -= old.length;
    }
  }

  /** Fetches blocks of a scan ahead, if requests are free. A failure is left to the read that needs the block. */
  #fetchAhead(block: number): void {
    for (const next of this.#readAhead(block)) {
      if (this.#busy()) return;
      if (next < this.#layout.count && !this.#kept.has(next) && !this.#loads.has(next)) this.#load(next);
    }
  }

  /** Whether five requests are in flight. A request without an end does not count for ever. */
  #busy(): boolean {
    const oldest = Date.now() - this.#patienceMs;
    for (const [block, { since }] of this.#loads) if (since < oldest) this.#loads.delete(block);
    return this.#loads.size >= IN_FLIGHT;
  }

  #markReplaced(cause: ObjectReplaced): SvcError {
    this.#replaced = new SvcError(
      'database_unavailable',
      `The database ${this.#source.name} was replaced while it was open. Call again.`,
      { cause },
    );
    return this.#replaced;
  }
}

function unreadable(name: string, cause: unknown): SvcError {
  return new SvcError(
    'database_unavailable',
    `The database ${name} could not be read in ${ATTEMPTS} attempts: ${messageOf(cause)}. Call again later.`,
    { cause },
  );
}
