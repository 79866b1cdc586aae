import { layoutOf } from '../duckdb-wasm/remote/blocks.ts';
import type { RangeSource } from '../duckdb-wasm/remote/remote-file.ts';
import type { Assets } from './database.ts';

/** The assets that an artefact expects. */
export interface ExpectedAssets {
  /** The size of the database. */
  readonly bytes: number;
  /** Lets a request end although the request of a client that began it has ended. */
  readonly keepAlive: <T>(work: Promise<T>) => Promise<T>;
}

/** A database whose blocks are static assets of the Worker, which have the Worker's version. Reads one block at a time. */
export function blockAssets(assets: Assets, { bytes, keepAlive }: ExpectedAssets): RangeSource {
  const layout = layoutOf(bytes);
  const read = async (offset: number): Promise<Uint8Array<ArrayBuffer>> => {
    const [block] = layout.holding(offset, 1);
    const response = await assets.fetch(`http://assets/blocks/${block}`);
    if (response.ok) return new Uint8Array(await response.arrayBuffer());
    await response.body?.cancel();
    throw new Error(`the asset blocks/${block} has the status ${response.status}`);
  };
  return { name: 'of the assets', size: bytes, read: (offset) => keepAlive(read(offset)) };
}
