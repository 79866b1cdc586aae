import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../adapters/node/make-folder.ts';
import { whereLinksLead } from '../../adapters/node/where-links-lead.ts';
import { SvcError } from '../../src/errors.ts';

/** Creates folders below a root, and the root itself. */
export async function makeFolders(root: string, folders: readonly string[]): Promise<void> {
  for (const folder of folders) makeFolder(join(root, folder));
}

/** Throws if any of the files exists, before anything is written. */
export function refuseExisting(root: string, files: readonly string[]): void {
  const taken = files.find((file) => existsSync(join(root, file)));
  if (taken === undefined) return;
  throw new SvcError('project_invalid', `${join(root, taken)} exists already. Nothing was written.`);
}

/** Writes new files, and their folders. Throws for one that exists. */
export async function writeNew(
  root: string,
  files: Readonly<Record<string, string>>,
  { mode = 0o666 }: { readonly mode?: number } = {},
): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    makeFolder(dirname(join(root, file)));
    await writeFile(join(root, file), text, { flag: 'wx', mode });
  }
}

/** Adds missing lines to .gitignore. */
export async function ignoreLines(root: string, lines: readonly string[]): Promise<void> {
  const path = join(root, '.gitignore');
  const text = existsSync(path) ? await readFile(path, 'utf8') : '';
  const missing = lines.filter((line) => !text.split(/\r?\n/).includes(line));
  if (missing.length === 0) return;
  const gap = text === '' || text.endsWith('\n') ? '' : '\n';
  await writeFile(path, `${text}${gap}${missing.join('\n')}\n`);
}

/** Writes a file and creates its folders. */
export async function writeText(path: string, text: string): Promise<void> {
  makeFolder(dirname(path));
  await writeFile(path, text);
}

/** The choices for writing a file. */
interface WriteOptions {
  /** The mode of a new file. */
  readonly mode?: number;
  /** Called just before the file is replaced; `false` cancels. */
  readonly when?: () => Promise<boolean>;
}

/**
 * Replaces a file in one step, so that readers never see half of it. Follows links and keeps the file's mode, and its
 * owner if this user may. A pipe or a device gets the text and stays. Returns whether it wrote.
 */
export async function writeWhole(
  path: string,
  text: string,
  { mode = 0o644, when = async () => true }: WriteOptions = {},
): Promise<boolean> {
  const target = await whereLinksLead(path);
  const before = existsSync(target) ? await stat(target) : null;
  if (before !== null && !before.isFile()) {
    if (!(await when())) return false;
    await writeFile(target, text);
    return true;
  }
  const kept = before === null ? mode : before.mode & 0o777;
  const fresh = `${target}.${randomUUID()}`;
  makeFolder(dirname(target));
  try {
    await writeFile(fresh, text, { flag: 'wx', mode: kept });
    if (before !== null) await chown(fresh, before.uid, before.gid).catch(() => {});
    await chmod(fresh, kept);
    if (!(await when())) return false;
    await rename(fresh, target);
    return true;
  } finally {
    await rm(fresh, { force: true });
  }
}
