import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Another commit of the project, set up in a worktree of its own. */
export interface OtherCommit {
  readonly commit: string;
  /** Its program. */
  readonly svc: string;
}

/** Sets up a commit under build/, with its own packages. A later run uses the same folder again. */
export function setUpCommit(asked: string): OtherCommit {
  const commit = git('rev-parse', '--short', `${asked}^{commit}`);
  const folder = join(ROOT, 'build/against', commit);
  if (!existsSync(folder)) git('worktree', 'add', '--detach', folder, commit);
  // It installs its packages in its own way: a newer npm may ask for more than a commit knew.
  npm(folder, 'run', 'build');
  return { commit, svc: join(folder, 'cli/svc.js') };
}

/** Builds the artefact for Node of a project with the program of a commit. */
export function buildArtefactOf(svc: string, root: string, out: string): void {
  const args = [svc, 'build', '--target', 'node', '--out', out];
  execFileSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
}

function npm(cwd: string, ...args: readonly string[]): void {
  // Its output is progress, not part of the report on stdout.
  execFileSync('npm', args, { cwd, stdio: ['ignore', process.stderr, process.stderr] });
}
