import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseChoice } from '../../../adapters/node/database/database-choice.ts';
import { inspectFile, refusalOf } from '../../../adapters/node/database/database-file.ts';
import { openNodeDatabase } from '../../../adapters/node/database/open-database.ts';
import { SEED } from '../../../adapters/node/database/seed.ts';
import { toSvcError } from '../../../src/errors.ts';
import { MEMORY_PATH } from '../../../src/project/attachment.ts';
import { type Check, failed, ok, problem } from '../check.ts';
import { isFolderFor } from './socket-and-audit.ts';

/** Opens the database read-only. A missing database is reported and never created. */
export async function diagnoseDatabase(root: string, choice: DatabaseChoice): Promise<readonly Check[]> {
  const { path, readonly } = choice;
  if (path === MEMORY_PATH) return checkAttachedOnly(choice);
  if (!existsSync(path)) return [await checkMissing(root, choice)];
  const file = await inspectFile(path);
  const refusal = refusalOf(path, file);
  if (refusal !== null || file.kind !== 'duckdb') return [toRefused(refusal ?? path)];
  const stored = `storage version ${file.storage}`;
  try {
    const database = await openNodeDatabase({ ...choice, readonly: true });
    await database.close();
    const how = `${choice.engine}, ${readonly ? 'read-only' : 'read-write'}`;
    return [ok('database', `${path} opens (${how}, ${stored})`), ...checkExtensions(choice)];
  } catch (thrown) {
    if (/in use by another process/.test(toSvcError(thrown).message)) return [inUse(choice, stored)];
    return [failed('database', thrown, 'Build the database again, or correct `database.path`.')];
  }
}

/** The first line says why the file is refused, the others how to fix it. */
function toRefused(refusal: string): Check {
  const [message = '', ...fix] = refusal.split('\n');
  return problem('database', message, fix.join(' '));
}

/** Checks only the attached databases if there is no file. */
async function checkAttachedOnly(choice: DatabaseChoice): Promise<readonly Check[]> {
  const names = (choice.attach ?? []).map(({ name }) => name).join(', ');
  try {
    const database = await openNodeDatabase({ ...choice, readonly: true });
    await database.close();
    return [ok('database', `${names}: attached (native)`), ...checkExtensions(choice)];
  } catch (thrown) {
    return [failed('database', thrown, 'Correct `attach` of the profile, or start its server.')];
  }
}

async function checkMissing(root: string, { path, readonly }: DatabaseChoice): Promise<Check> {
  const seeded = existsSync(join(root, SEED));
  if ((seeded || !readonly) && !(await isFolderFor(dirname(path)))) {
    const fix = 'Give this user the right to write there, or set `database.path` to another file.';
    return problem(
      'database',
      `${path} does not exist and cannot be created: its folder is not writable`,
      fix,
    );
  }
  if (seeded) return ok('database', `${path} does not exist yet; ${SEED} creates it`);
  if (!readonly) return ok('database', `${path} does not exist yet; the first start creates an empty one`);
  const fix = `Create it, add a ${SEED} beside svc-site.yml, or correct \`database.path\` of the profile.`;
  return problem('database', `${path} does not exist, and the profile only reads it`, fix);
}

/** Another process has the file open for writing; usually it is a running server. */
function inUse({ path, readonly }: DatabaseChoice, stored: string): Check {
  if (!readonly) return ok('database', `${path} is in use by another process, e.g. a server (${stored})`);
  const fix = 'Stop the program that writes to it, or serve a copy.';
  return problem('database', `${path} is open in a process that may write to it`, fix);
}

/** The native engine has loaded them when it opened the database. Artefacts use another engine. */
function checkExtensions({ extensions }: DatabaseChoice): readonly Check[] {
  const names = (extensions?.extensions ?? []).map(({ name }) => name).join(', ');
  if (names === '') return [];
  return [
    ok('extensions', `${names}: loaded by the native engine; artefacts of \`svc build\` load no extensions`),
  ];
}
