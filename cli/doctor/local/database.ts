import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseChoice } from '../../../adapters/node/database/database-choice.ts';
import { inspectFile, refusalOf } from '../../../adapters/node/database/database-file.ts';
import { openNodeDatabase } from '../../../adapters/node/database/open-database.ts';
import { SEED } from '../../../adapters/node/database/seed.ts';
import { toSvcError } from '../../../src/errors.ts';
import { MEMORY_PATH } from '../../../src/project/attachment.ts';
import { inLoadOrder } from '../../../src/project/extension.ts';
import { tryExtensions } from '../../project/extensions.ts';
import { type Check, failed, ok, problem } from '../check.ts';
import { isFolderFor } from './machine.ts';

/** Opens the database read-only. A missing database is reported and never created. */
export async function diagnoseDatabase(root: string, choice: DatabaseChoice): Promise<readonly Check[]> {
  const { path, readonly } = choice;
  const extensions = await checkExtensions(choice);
  const loads = extensions.every(({ status }) => status === 'ok');
  if (path === MEMORY_PATH) return loads ? [await checkAttachedOnly(choice), ...extensions] : extensions;
  if (!existsSync(path)) return [await checkMissing(root, choice), ...extensions];
  const file = await inspectFile(path);
  const refusal = refusalOf(path, file);
  if (refusal !== null || file.kind !== 'duckdb') return [toRefused(refusal ?? path), ...extensions];
  if (!loads) return extensions;
  const stored = `storage version ${file.storage}`;
  try {
    const database = await openNodeDatabase({ ...choice, readonly: true });
    await database.close();
    const how = `${choice.engine}, ${readonly ? 'read-only' : 'read-write'}`;
    return [ok('database', `${path} opens (${how}, ${stored})`), ...extensions];
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
async function checkAttachedOnly(choice: DatabaseChoice): Promise<Check> {
  const names = (choice.attach ?? []).map(({ name, uri, own }) => (own ? uri : name)).join(', ');
  try {
    const database = await openNodeDatabase({ ...choice, readonly: true });
    await database.close();
    return ok('database', `${names}: attached (native)`);
  } catch (thrown) {
    return failed('database', thrown, 'Correct `path` or `attach` of the profile, or start its server.');
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

/** Loads the extensions, with those that they need. Artefacts use another engine. */
async function checkExtensions({ engine, extensions }: DatabaseChoice): Promise<readonly Check[]> {
  const named = extensions?.extensions ?? [];
  if (engine !== 'native' || named.length === 0) return [];
  const broken = await tryExtensions(extensions);
  if (broken.length > 0)
    return broken.map(({ error }) => failed('extensions', error, 'Correct `extensions`.'));
  const names = inLoadOrder(named).map(({ name, neededBy }) =>
    neededBy === undefined ? name : `${name} (which ${neededBy} needs)`,
  );
  return [
    ok(
      'extensions',
      `${names.join(', ')}: loaded by the native engine; an artefact needs \`svc build --engine native\``,
    ),
  ];
}
