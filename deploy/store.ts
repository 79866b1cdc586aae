import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { layoutOf } from '../adapters/duckdb-wasm/remote/blocks.ts';
import { SvcError } from '../src/errors.ts';
import { type BuildTarget, type StoreKind, UPLOADED_DATABASE } from './targets/target.ts';

/** The folder of a database whose blocks are static assets. Each file is named by the number of its block. */
export const BLOCKS_FOLDER = 'assets/blocks';

/** A database of an artefact that may be read by ranges. */
export interface StoreChoice {
  /** The value of `--store`. */
  readonly asked: string | undefined;
  /** The size of the database. */
  readonly bytes: number;
  /** Whether the artefact has the native engine. */
  readonly native: boolean;
}

/** The place of a database that is read by ranges; null if the artefact contains it as one file. Throws `usage`. */
export function chooseStore(target: BuildTarget, { asked, bytes, native }: StoreChoice): string | null {
  const stores: readonly StoreKind[] = target.remote?.stores ?? [];
  const above = target.remote?.above ?? null;
  if (asked === undefined) return native || above === null || bytes <= above ? null : (stores[0] ?? null);
  if (native) {
    throw new SvcError(
      'usage',
      '--store is for the wasm engine. The native engine opens remote files with `attach` of the profile.',
    );
  }
  const kind = kindOf(asked);
  if (kind !== null && stores.includes(kind)) return asked.replace(/\/+$/, '');
  const fix =
    stores.length === 0
      ? 'Leave it out: the platform reads no database by ranges.'
      : `Choose ${stores.map((known) => FORMS[known]).join(' or ')}.`;
  throw new SvcError('usage', `--store ${asked} is not possible for this platform. ${fix}`);
}

/** The forms of `--store`. */
const FORMS: { readonly [kind in StoreKind]: string } = {
  r2: 'r2',
  assets: 'assets',
  s3: 's3://bucket/folder',
  https: 'https://host/folder',
};

function kindOf(store: string): StoreKind | null {
  if (store === 'r2' || store === 'assets') return store;
  if (/^s3:\/\/[a-z0-9][a-z0-9.-]+(\/[\w.\-/]*)?$/.test(store)) return 's3';
  // Another scheme is safe on this machine only.
  const address = URL.canParse(store) ? new URL(store) : null;
  if (address === null || address.search !== '' || address.hash !== '') return null;
  const here = address.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(address.hostname);
  return address.protocol === 'https:' || here ? 'https' : null;
}

/** Moves a database to its place in the artefact: the file to upload, or the assets of its blocks. */
export async function placeDatabase(copy: string, folder: string, store: string): Promise<void> {
  if (store === 'assets') return writeBlocks(copy, join(folder, BLOCKS_FOLDER));
  const place = join(folder, UPLOADED_DATABASE);
  await mkdir(dirname(place), { recursive: true });
  await rename(copy, place);
}

async function writeBlocks(copy: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const file = await open(copy);
  try {
    const layout = layoutOf((await file.stat()).size);
    for (let block = 0; block < layout.count; block += 1) {
      const { start, end } = layout.range(block);
      const { buffer } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
      await writeFile(join(folder, String(block)), buffer);
    }
  } finally {
    await file.close();
  }
  await rm(copy);
}
