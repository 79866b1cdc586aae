import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from '../adapters/node/make-folder.ts';
import { isAnyManifest } from '../src/catalog/manifest.ts';
import { SvcError } from '../src/errors.ts';

/** Writes a folder completely or not at all: first beside its place, then it replaces the older one. */
export async function replaceFolder<T>(out: string, write: (folder: string) => Promise<T>): Promise<T> {
  await refuseForeign(out);
  const fresh = besides(out);
  makeFolder(fresh);
  try {
    const result = await write(fresh);
    await swap(fresh, out);
    return result;
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

async function refuseForeign(out: string): Promise<void> {
  const names = await readdir(out).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    if (error.code !== 'ENOTDIR') throw error;
    throw new SvcError('usage', `${out} is a file. Choose a folder with --out.`);
  });
  if (names.every((name) => name.startsWith('.'))) return;
  const manifest = await readFile(join(out, 'manifest.json'), 'utf8').catch(() => '');
  if (isAnyManifest(manifest)) return;
  const fix = 'Choose another folder with --out, or empty this one.';
  throw new SvcError('usage', `${out} has files that \`svc build\` did not write. ${fix}`);
}

async function swap(fresh: string, out: string): Promise<void> {
  const old = besides(out);
  const moved = await rename(out, old).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      const fix = 'Choose a folder below it with --out.';
      throw new SvcError('usage', `${out} cannot be replaced as a whole: ${error.message}. ${fix}`);
    },
  );
  try {
    await rename(fresh, out);
  } catch (error) {
    if (moved) await rename(old, out);
    throw error;
  }
  if (moved) await keepLocalFiles(old, out);
  await rm(old, { recursive: true, force: true });
}

/** Keeps hidden files of people and tools (.dev.vars, .wrangler, .vercel/project.json) through a build. */
async function keepLocalFiles(old: string, out: string): Promise<void> {
  const local = (await readdir(old)).filter((name) => name.startsWith('.'));
  for (const name of local) {
    const places = existsSync(join(out, name)) ? await besideWritten(old, out, name) : [name];
    for (const place of places) await rename(join(old, place), join(out, place));
  }
}

/** The files that only the old copy of a hidden folder has; none for a hidden file. */
async function besideWritten(old: string, out: string, name: string): Promise<readonly string[]> {
  const within = await readdir(join(old, name)).catch(() => []);
  return within.map((file) => join(name, file)).filter((place) => !existsSync(join(out, place)));
}

function besides(out: string): string {
  return join(dirname(out), `.${basename(out)}-${randomUUID()}`);
}
