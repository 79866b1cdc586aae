import { existsSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseManifest } from '../../../src/catalog/manifest.ts';
import { UPLOADED_DATABASE } from '../target.ts';

/** A busy machine loses connections over larger parts. */
const PART_BYTES = 16 * 1_048_576;

/** The part of wrangler that gives a program the local bindings of `wrangler dev`. */
interface Wrangler {
  readonly getPlatformProxy: (options: {
    readonly configPath: string;
    readonly persist: { readonly path: string };
  }) => Promise<{
    readonly env: { readonly DATABASE: LocalBucket };
    dispose(): Promise<void>;
  }>;
}

/** A bucket on this machine. */
export interface LocalBucket {
  head(key: string): Promise<{ readonly size: number } | null>;
  createMultipartUpload(key: string): Promise<{
    uploadPart(number: number, bytes: Uint8Array): Promise<unknown>;
    complete(parts: readonly unknown[]): Promise<unknown>;
  }>;
}

/** Puts the database of an artefact into the local bucket that `wrangler dev` uses, unless it is there. */
export async function fillLocalBucket(folder: string, wrangler: string): Promise<void> {
  const file = join(folder, UPLOADED_DATABASE);
  if (!existsSync(file)) return;
  const { database } = parseManifest(await readFile(join(folder, 'manifest.json'), 'utf8'));
  if (database.remote === undefined) return;
  const { getPlatformProxy }: Wrangler = await import(
    pathToFileURL(createRequire(wrangler).resolve('wrangler')).href
  );
  const { env, dispose } = await getPlatformProxy({
    configPath: join(folder, 'wrangler.toml'),
    persist: { path: join(folder, '.wrangler/state/v3') },
  });
  try {
    // A key names one content: its digest is a part of it.
    const { key } = database.remote;
    if ((await env.DATABASE.head(key)) === null) await upload(env.DATABASE, { key, path: file });
  } finally {
    await dispose();
  }
}

/** A file for a bucket. */
interface Upload {
  readonly key: string;
  readonly path: string;
  readonly partBytes?: number;
}

/** Uploads a file in parts, which all have the same size but the last. */
export async function upload(
  bucket: LocalBucket,
  { key, path, partBytes = PART_BYTES }: Upload,
): Promise<void> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const multipart = await bucket.createMultipartUpload(key);
    const parts: unknown[] = [];
    for (let start = 0; start < size; start += partBytes) {
      const bytes = new Uint8Array(Math.min(partBytes, size - start));
      await file.read(bytes, 0, bytes.length, start);
      parts.push(await multipart.uploadPart(parts.length + 1, bytes));
    }
    await multipart.complete(parts);
  } finally {
    await file.close();
  }
}
