import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { chmod, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import {
  convertedName,
  type DuckDbFile,
  type FileContents,
  inspectFile,
  isConvertible,
  refusalOf,
} from '../../adapters/node/database/database-file.ts';
import { makeFolder } from '../../adapters/node/make-folder.ts';
import { whereLinksLead } from '../../adapters/node/where-links-lead.ts';
import { SvcError } from '../../src/errors.ts';
import type { Run } from '../command.ts';
import { copyWithAny } from '../convert/convert.ts';
import { deleteOnSignal } from '../io/delete-on-signal.ts';
import { count, styled } from '../io/output.ts';

/** `svc convert <file> [out]`: a copy of a DuckDB file in the form that every DuckDB since 1.0 reads. */
export const run: Run = async (input, output) => {
  const file = resolve(input.args[0] ?? '');
  const out = resolve(input.args[1] ?? convertedName(file));
  const { storage, version } = await convertible(file);
  const replaces = await isSameFile(file, out);
  const refuse = () => {
    if (existsSync(out) && !statSync(out).isFile())
      throw new SvcError('usage', `${out} is not a file. Name another one.`);
    if (existsSync(out) && !input.flag('force')) throw exists(out, replaces);
  };
  refuse();
  const target = await whereLinksLead(out);
  const fresh = `${target}.${randomUUID()}`;
  const made = makeFolder(dirname(target));
  const keep = deleteOnSignal([fresh, `${fresh}.wal`, ...(made === undefined ? [] : [made])]);
  try {
    const { engine, tables, views } = await copyWithAny(file, fresh, version);
    // Another program may have made the file meanwhile.
    refuse();
    await chmod(fresh, await modeOf(file, target));
    await rename(fresh, target);
    // The log of the file that was replaced.
    await rm(`${target}.wal`, { force: true });
    const from = { version, storage };
    output.data({ status: 'ok', file, out, replaced: replaces, from, engine, tables, views }, () => {
      const rows = tables.reduce((sum, table) => sum + table.rows, 0);
      const what = `${count(tables.length, 'table')} with ${count(rows, 'row')}`;
      const where = relative(process.cwd(), out);
      return `${styled('ok', replaces ? 'replaced' : 'created')} ${styled('strong', where)}: ${what}, converted by ${engine}`;
    });
    if (input.args[1] === undefined) {
      output.note('To serve it, name it in `database.path` of the profile. The original is as it was.');
    }
    return 0;
  } catch (thrown) {
    if (made !== undefined) await rm(made, { recursive: true, force: true });
    throw thrown;
  } finally {
    for (const rest of [fresh, `${fresh}.wal`]) await rm(rest, { force: true });
    keep();
  }
};

async function convertible(path: string): Promise<DuckDbFile> {
  const file = await inspectFile(path);
  if (file.kind === 'duckdb' && isConvertible(file)) return file;
  const text = adviceOf(path, file);
  throw new SvcError(file.kind === 'missing' ? 'not_found' : 'database_unavailable', text);
}

/** The advice for the database of a project does not help with a file of another format. */
function adviceOf(path: string, file: FileContents): string {
  const text = refusalOf(path, file) ?? `There is no file ${path}.`;
  return file.kind === 'other'
    ? `${text.split('\n')[0]}\nName a DuckDB file. \`svc init --from\` makes a project from CSV, TSV, JSON and Parquet files.`
    : text;
}

async function isSameFile(file: string, out: string): Promise<boolean> {
  return existsSync(out) && (await realpath(file)) === (await realpath(out));
}

/** The mode of the file that is replaced, or of the original: a copy of a private file is private. */
async function modeOf(file: string, target: string): Promise<number> {
  const mode = existsSync(target) ? (await stat(target)).mode : (await stat(file)).mode | 0o200;
  return mode & 0o777;
}

function exists(out: string, replaces: boolean): SvcError {
  const what = replaces ? 'the database that is to be converted' : 'there already';
  return new SvcError('usage', `${out} is ${what}. Name another file, or replace it with --force.`);
}
