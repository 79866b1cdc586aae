import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { SvcError } from '../../src/errors.ts';
import type { Finding } from '../../src/project/finding.ts';
import { readUserFile } from '../../src/settings/user-file.ts';
import type { MigrationNote } from './note.ts';
import { rewriteUser } from './user.ts';

/** The user file in our words; it goes beside the project, and never to its place by itself. */
export interface MigratedUser {
  readonly from: string;
  /** Below the new project. */
  readonly path: string;
  readonly text: string;
  readonly notes: readonly MigrationNote[];
  readonly findings: readonly Finding[];
}

/** Git does not see it. */
const PLACE = '.svc/config.yml';

/** The user file that was named, or the one that MXCP would take; null where there is none. */
export async function migrateUser(asked: string | undefined): Promise<MigratedUser | null> {
  const usual = process.env.MXCP_CONFIG || join(homedir(), '.mxcp/config.yml');
  const from = resolve(asked ?? usual);
  if (!existsSync(from)) {
    if (asked === undefined) return null;
    throw new SvcError('usage', `--config ${asked}: there is no such file.`);
  }
  const done = rewriteUser(await readFile(from, 'utf8'), from);
  if (done === null) throw new SvcError('usage', `${from} is no YAML, so nothing can be made of it.`);
  const { findings } = readUserFile(new TextEncoder().encode(done.text), PLACE);
  return { from, path: PLACE, ...done, findings };
}
