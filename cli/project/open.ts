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
import { copyDatabase } from '../../deploy/database.ts';
import { SvcError, toSvcError } from '../../src/errors.ts';
import type { Database, Log } from '../../src/ports.ts';
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
  if (await createFromSeed(root, choice.path)) output.note(`created ${choice.path} from ${SEED}`);
  else if (choice.createsEmpty && (await createEmpty(choice.path)))
    output.note(`created ${choice.path}, empty`);
  if (choice.engine === 'wasm') await ensureWasmArtefact();
  return openNodeDatabase(choice);
}

/** The fate of writes to a copy. With `planned` statements are only planned, as on the database itself. */
type Writes = 'refused' | 'dropped' | 'planned';

/**
 * Opens the database. If another process holds it for writing, opens a copy of its present state, which `close` deletes.
 * With `refused` the copy is read-only; with `dropped` writes go to the copy; with `kept` it throws instead. Attached
 * databases are not copied, so nothing writes to them beside another process; with `planned` nothing writes at all.
 */
export async function openBeside(
  root: string,
  choice: DatabaseChoice,
  { output, writes }: { readonly output: Output; readonly writes: Writes | 'kept' },
): Promise<Database> {
  try {
    return await openProjectDatabase(root, choice, output);
  } catch (thrown) {
    if (!isInUse(thrown)) throw thrown;
    if (writes === 'kept') throw withServerAdvice(thrown);
    const attached = choice.attach === undefined || writes === 'planned' ? '' : ` ${ATTACHED}`;
    output.note(
      `Another process holds ${choice.path}, so this command uses a copy of its present state. ${NOTES[writes]}${attached}`,
    );
    return openCopy(writes === 'planned' ? choice : withAttachedRead(choice), writes);
  }
}

const NOTES = {
  refused: 'The copy is read-only.',
  dropped: 'Nothing is written to the database itself.',
  planned: 'Nothing is run.',
};

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

async function openCopy(choice: DatabaseChoice, writes: Writes): Promise<Database> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-copy-'));
  const keep = deleteOnSignal([folder]);
  const remove = async () => {
    await rm(folder, { recursive: true, force: true });
    keep();
  };
  try {
    // Views and macros name the database like its file.
    const path = join(folder, basename(choice.path));
    await copyDatabase(choice.path, path);
    const database = await openNodeDatabase({
      ...choice,
      path,
      readonly: choice.readonly || writes === 'refused',
    });
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
