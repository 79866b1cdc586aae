import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { DatabaseChoice } from '../../adapters/node/database/database-choice.ts';
import { type OpenOptions, openNodeDatabase } from '../../adapters/node/database/open-database.ts';
import { createEmpty, createFromSeed, SEED } from '../../adapters/node/database/seed.ts';
import {
  createLazyPython,
  type LazyPython,
  type ProjectPython,
} from '../../adapters/node/project/lazy-python.ts';
import { copyWhole } from '../../deploy/database.ts';
import { SvcError, toSvcError } from '../../src/errors.ts';
import type { Database, Log } from '../../src/ports.ts';
import { MEMORY_PATH } from '../../src/project/attachment.ts';
import { deleteOnSignal } from '../io/delete-on-signal.ts';
import type { Output } from '../io/output.ts';
import { type CheckedProject, siteFileOf } from './project.ts';
import { ensureWasmArtefact } from './wasm-artefact.ts';

/** Opens the database. If there is none, it is created from the seed script, or empty if the choice allows it. */
export async function openProjectDatabase(
  root: string,
  choice: OpenOptions,
  output: Output,
): Promise<Database> {
  const seeded = await createSeeded(root, choice.path, output);
  if (!seeded && choice.createsEmpty && (await createEmpty(choice.path)))
    output.note(`created ${choice.path}, empty`);
  if (choice.engine === 'wasm') await ensureWasmArtefact();
  return openNodeDatabase(choice);
}

async function createSeeded(root: string, path: string, output: Output): Promise<boolean> {
  const created = await createFromSeed(root, path);
  if (created) output.note(`created ${path} from ${SEED}`);
  return created;
}

/**
 * The writes of a command. With `dropped` they go to a copy; with `refused` a copy is read-only; with `planned`
 * statements are only planned, as on the database itself.
 */
type Writes = 'dropped' | 'refused' | 'planned';

/**
 * Opens the database, or with `dropped` a copy of it. If another process holds it for writing, opens a copy of its present
 * state in any case, and throws with `kept`. `close` deletes the copy. Attached databases are not copied, so nothing
 * writes to them beside a copy.
 */
export async function openBeside(
  root: string,
  choice: DatabaseChoice,
  { output, writes }: { readonly output: Output; readonly writes: Writes | 'kept' },
): Promise<Database> {
  if (writes === 'dropped' && !choice.readonly) return openScratch(root, choice, output);
  try {
    return await openProjectDatabase(root, choice, output);
  } catch (thrown) {
    if (!isInUse(thrown)) throw thrown;
    if (writes === 'kept') throw withServerAdvice(thrown);
    const planned = writes === 'planned';
    const attached = choice.attach === undefined || planned ? '' : ` ${ATTACHED}`;
    output.note(
      `Another process holds ${choice.path}, so this command uses a copy of its present state. ${planned ? 'Nothing is run.' : 'The copy is read-only.'}${attached}`,
    );
    return openCopy(planned ? choice : { ...withAttachedRead(choice), readonly: true });
  }
}

/** Opens a copy whose writes are lost. A missing database is created from the seed script, and else not at all. */
async function openScratch(root: string, choice: DatabaseChoice, output: Output): Promise<Database> {
  await createSeeded(root, choice.path, output);
  if (choice.attach?.some((one) => one.readonly === false)) output.note(ATTACHED);
  return openCopy(withAttachedRead(choice));
}

const ATTACHED = 'Attached databases are not copied, so they are only read.';

function withAttachedRead({ attach, ...choice }: DatabaseChoice): DatabaseChoice {
  if (attach === undefined) return choice;
  return { ...choice, attach: attach.map((one) => ({ ...one, readonly: true })) };
}

/** Adds the way to write to a database that a running server holds. */
function withServerAdvice(thrown: unknown): SvcError {
  const { code, message } = toSvcError(thrown);
  const advice = 'If the process is `svc serve`, call its tool: `svc call <tool>`.';
  return new SvcError(code, `${message}\n${advice}`, { cause: thrown });
}

function isInUse(thrown: unknown): boolean {
  return /in use by another process/.test(toSvcError(thrown).message);
}

async function openCopy(choice: DatabaseChoice): Promise<Database> {
  if (choice.path === MEMORY_PATH) return openNodeDatabase(choice);
  const folder = await mkdtemp(join(tmpdir(), 'svc-copy-'));
  const keep = deleteOnSignal([folder]);
  const remove = async () => {
    await rm(folder, { recursive: true, force: true });
    keep();
  };
  try {
    // Views and macros name the database like its file.
    const path = join(folder, basename(choice.path));
    if (existsSync(choice.path)) await copyWhole(choice.path, path);
    const database = await openNodeDatabase({ ...choice, path });
    return {
      engine: database.engine,
      readonly: database.readonly,
      run: (request, call) => database.run(request, call),
      prepare: (sql, mode) => database.prepare(sql, mode),
      close: async () => {
        await database.close();
        await remove();
      },
    };
  } catch (thrown) {
    await remove();
    throw thrown;
  }
}

/** Makes a project's Python for the duration of a command. */
export function lazyPython(checked: CheckedProject, options: ProjectPython): LazyPython {
  return createLazyPython({ root: checked.project.root, site: siteFileOf(checked) }, options);
}

/** Shows the output of functions to the person at the terminal. */
export function withPrinted(log: Log, output: Output): Log {
  return (line) => (line.level === 'info' ? output.note(line.message) : log(line));
}
