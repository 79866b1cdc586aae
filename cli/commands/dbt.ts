import { mkdir } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { SvcError } from '../../src/errors.ts';
import type { Run } from '../command.ts';
import { type Holder, holdersOf } from '../dbt/database-holders.ts';
import { profileVariable, secretVariables } from '../dbt/environment.ts';
import { dbtFolder, dbtSite, refuseNoFile } from '../dbt/folder.ts';
import { findProgram, runChild } from '../io/programs.ts';
import { checkSite, databaseOf } from '../project/project.ts';
import { settingsOf } from '../project/settings.ts';

/** `svc dbt <args>`: runs dbt with the project's database and secrets. Output and exit code are dbt's own. */
export const run: Run = async (input) => {
  const args = input.args.filter((arg) => arg !== undefined);
  const checked = await checkSite(input);
  const site = dbtSite(checked);
  const opens = usesDatabase(args);
  if (opens) refuseNoFile(process.env.SVC_DATABASE_PATH || site.database.path);
  const { root } = checked.project;
  const program = await findProgram('dbt', ownFolders(root));
  if (program === null) throw missing(root);
  const { path } = databaseOf(checked);
  const cwd = dbtFolder(root, process.cwd());
  const { secrets } = await settingsOf(input, checked);
  const env = {
    // dbt tells its makers about every run unless it is told not to
    DBT_SEND_ANONYMOUS_USAGE_STATS: 'false',
    ...process.env,
    ...(await profileVariable(site, cwd, { args, asked: input.text('profile') !== undefined })),
    SVC_DATABASE_PATH: path,
    SVC_PROFILE: site.profile,
    ...secretVariables(site, secrets),
  };
  if (opens) await prepareDatabase(path);
  return runChild({ program, args, env, cwd });
};

/** The folders to search for dbt before PATH: the active Python environment, then the project's own. */
function ownFolders(root: string): readonly string[] {
  const folders = [process.env.VIRTUAL_ENV, join(root, '.venv'), join(root, 'venv')];
  const bin = process.platform === 'win32' ? 'Scripts' : 'bin';
  return folders.flatMap((folder) => (folder ? [join(folder, bin)] : []));
}

/**
 * Makes the database's folder, which dbt does not. Throws if another process has the database open, because dbt would
 * change it.
 */
async function prepareDatabase(path: string): Promise<void> {
  const [holder] = await holdersOf(path);
  if (holder) throw held(path, holder);
  await mkdir(dirname(path), { recursive: true });
}

function held(path: string, { pid, command }: Holder): SvcError {
  const shown = relative(process.cwd(), path);
  // dbt's views contain the name of the database, which is the name of its file
  const next = join(dirname(shown), 'next', basename(path));
  return new SvcError(
    'busy',
    `${shown} is open in another process, and dbt must change it: PID ${pid}${command ? `, ${command}` : ''}.
Stop that process and run the same again. A server that only reads can go on: build beside it with
SVC_DATABASE_PATH=${next}, replace the old file by the new one, and run \`svc admin reload\`.`,
    { detail: { database: path, pid } },
  );
}

function missing(root: string): SvcError {
  return new SvcError(
    'not_found',
    `dbt is not installed: there is no \`dbt\` in PATH, nor in .venv or venv of ${root}.
Install it with its adapter and the DuckDB that this version of svc reads:
python3 -m venv .venv && .venv/bin/pip install 'dbt-core~=1.10.0' 'dbt-duckdb~=1.10.0' 'duckdb~=1.5.5'`,
  );
}

/** dbt's commands that open the database. */
const OPENING = [
  'build',
  'clone',
  'compile',
  'debug',
  'retry',
  'run',
  'run-operation',
  'seed',
  'show',
  'snapshot',
  'source',
  'test',
];

const OTHERS = ['clean', 'deps', 'environment', 'init', 'list', 'ls', 'man', 'parse'];

/** dbt's options that may stand before the command and take a value, which may be a word such as `docs`. */
const VALUED =
  /^(?:--(?:log-(?:file-max-bytes|format|format-file|level|level-file|path)|printer-width|profile|profiles-dir|project-dir|record-timing-info|state|defer-state|target|target-path|threads|vars|warn-error-options)|-[rt])$/;

/** Whether a command line of dbt opens the database. The first word that is a command counts. */
export function usesDatabase(args: readonly string[]): boolean {
  const words = args.filter((arg, at) => !arg.startsWith('-') && !VALUED.test(args[at - 1] ?? ''));
  const index = words.findIndex((word) => [...OPENING, ...OTHERS, 'docs'].includes(word));
  const command = words[index];
  if (command === undefined || args.includes('--help')) return false;
  return command === 'docs' ? words[index + 1] === 'generate' : OPENING.includes(command);
}
