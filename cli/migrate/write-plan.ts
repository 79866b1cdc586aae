import { copyFile, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { SvcError } from '../../src/errors.ts';
import type { PlannedFile } from './plan.ts';

/** Throws if the new project could overwrite a file of the old one or of anything else. */
export async function refuseTarget(root: string, target: string): Promise<void> {
  const [one, other] = [resolve(root), resolve(target)];
  if (one === other || isInside(one, other) || isInside(other, one)) {
    throw new SvcError(
      'usage',
      `${target} and ${root} are one folder, or one is inside the other.\nThe old project must stay unchanged. Name a folder beside it with --out.`,
    );
  }
  const held = await readdir(target).catch(() => []);
  if (held.length === 0) return;
  throw new SvcError('usage', `${target} is not empty. Nothing was written; name a new folder with --out.`);
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`);
}

/** Writes the new project. Scripts stay executable. */
export async function writePlan(
  root: string,
  target: string,
  planned: readonly PlannedFile[],
): Promise<void> {
  for (const { path, from, text } of planned) {
    const [source, to] = [join(root, from), join(target, path)];
    await mkdir(dirname(to), { recursive: true });
    if (text === null) await copyFile(source, to);
    else await writeFile(to, text, { mode: (await stat(source)).mode });
  }
}
