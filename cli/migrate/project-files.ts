import { readdir, stat } from 'node:fs/promises';
import { join, posix, relative, sep } from 'node:path';
import { SvcError } from '../../src/errors.ts';
import { PROJECT_FILE } from '../dbt/folder.ts';
import type { MigrationNote } from './rewrite.ts';

/** Files that tools create again. */
const SKIPPED = /(^|\/)(\.git|node_modules|__pycache__|\.venv|venv|dbt_packages|\.DS_Store)(\/|$)/;

/** The files of a project. */
export interface Listed {
  readonly names: readonly string[];
  /** Remarks about links. */
  readonly notes: readonly MigrationNote[];
}

/** Lists every file of a project, including files behind links. */
export async function listFiles(root: string): Promise<Listed> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch((cause) => {
    throw new SvcError('usage', `${root} cannot be read: ${cause.message}`, { cause });
  });
  const names: string[] = [];
  const notes: MigrationNote[] = [];
  for (const entry of entries) {
    const path = relative(root, join(entry.parentPath, entry.name)).split(sep).join('/');
    if (SKIPPED.test(path)) continue;
    const link = entry.isSymbolicLink() ? await linkNote(root, path) : null;
    if (link !== null) notes.push(link);
    if (entry.isFile() || link?.kind === 'done') names.push(path);
  }
  return { names: withoutBuilt(names).toSorted(), notes };
}

async function linkNote(root: string, path: string): Promise<MigrationNote> {
  const found = await stat(join(root, path)).catch(() => null);
  if (found?.isFile()) {
    return { kind: 'done', file: path, line: 0, message: 'This is a link. The file behind it is copied.' };
  }
  const where = found === null ? 'nowhere' : 'to no file';
  return { kind: 'lost', file: path, line: 0, message: `Left out. This link leads ${where}.` };
}

/** Removes `target/` beside a dbt_project.yml, because dbt writes it. */
function withoutBuilt(names: readonly string[]): readonly string[] {
  const built = names.flatMap((name) =>
    posix.basename(name) === PROJECT_FILE ? [`${name.slice(0, -PROJECT_FILE.length)}target/`] : [],
  );
  return names.filter((name) => !built.some((folder) => name.startsWith(folder)));
}
