import { SvcError } from '../../src/errors.ts';
import { ObjectReplaced } from '../duckdb-wasm/engine/database-file.ts';
import type { RangeSource } from '../duckdb-wasm/remote/remote-file.ts';

/** The parts of an R2 binding that reading a database needs. */
export interface Bucket {
  head(key: string): Promise<{ readonly etag: string; readonly size: number } | null>;
  get(
    key: string,
    options: {
      readonly range: { readonly offset: number; readonly length: number };
      readonly onlyIf: { readonly etagMatches: string };
    },
  ): Promise<{ readonly arrayBuffer?: () => Promise<ArrayBuffer> } | null>;
}

/** The object that an artefact expects. */
export interface ExpectedObject {
  readonly key: string;
  readonly bytes: number;
  /** Lets a request end although the request of a client that began it has ended. */
  readonly keepAlive: <T>(work: Promise<T>) => Promise<T>;
}

/** Opens the version of an object that is there now. Throws `database_unavailable` if it is missing or another file. */
export async function openObject(
  bucket: Bucket,
  { key, bytes, keepAlive }: ExpectedObject,
): Promise<RangeSource> {
  const found = await bucket.head(key);
  if (found === null) throw unavailable(`The bucket that DATABASE binds has no object ${key}`);
  const { etag, size } = found;
  if (size !== bytes) throw unavailable(`The object ${key} has ${size} bytes, but the database has ${bytes}`);
  const read = async (offset: number, length: number): Promise<Uint8Array<ArrayBuffer>> => {
    const range = { offset, length };
    const part = await bucket.get(key, { range, onlyIf: { etagMatches: etag } });
    // An object of another version comes without a body.
    if (part === null || !('body' in part))
      throw new ObjectReplaced(`${key} has no version ${etag} any more`);
    return new Uint8Array((await part.arrayBuffer?.()) ?? new ArrayBuffer());
  };
  return { name: key, size, read: (offset, length) => keepAlive(read(offset, length)) };
}

function unavailable(problem: string): SvcError {
  return new SvcError(
    'database_unavailable',
    `${problem}. Upload upload/data.duckdb of this artefact again, as its README.md says.`,
  );
}
