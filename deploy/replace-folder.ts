import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isAnyManifest } from '../src/catalog/manifest.ts';
import { SvcError } from '../src/errors.ts';

/** Writes a folder completely or not at all: first beside its place, then it replaces the older one. */
export async function replaceFolder<T>(out: string, write: (folder: string) => Promise<T>): Promise<T> {
  await refuseForeign(out);
  const fresh = besides(out);
  await mkdir(fresh, { recursive: true });
  try {
    const result = await write(fresh);
    await keepLocalFiles(out, fresh);
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

/** Keeps hidden files of people and tools (.dev.vars, .wrangler, .vercel/project.json) through a build. */
async function keepLocalFiles(out: string, fresh: string): Promise<void> {
  const local = (await readdir(out).catch(() => [])).filter((name) => name.startsWith('.'));
  for (const name of local) {
    const places = existsSync(join(fresh, name)) ? await besideWritten(out, fresh, name) : [name];
    for (const place of places) await rename(join(out, place), join(fresh, place));
  }
}

/** The files that only the old copy of a hidden folder has; none for a hidden file. */
async function besideWritten(out: string, fresh: string, name: string): Promise<readonly string[]> {
  const within = await readdir(join(out, name)).catch(() => []);
  return within.map((file) => join(name, file)).filter((place) => !existsSync(join(fresh, place)));
}

async function swap(fresh: string, out: string): Promise<void> {
  const old = besides(out);
  const moved = await rename(out, old).then(
    () => true,
    () => false,
  );
  try {
    await rename(fresh, out);
  } catch (error) {
    if (moved) await rename(old, out);
    throw error;
  }
  await rm(old, { recursive: true, force: true });
}

function besides(out: string): string {
  return join(dirname(out), `.${basename(out)}-${randomUUID()}`);
}
