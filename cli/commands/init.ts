import { existsSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { createInterface, type Interface } from 'node:readline/promises';
import { expandHome } from '../../adapters/node/absolute-path.ts';
import { createEmpty, createFromSeed, SEED } from '../../adapters/node/database/seed.ts';
import { findProjectRoot } from '../../adapters/node/project/project-files.ts';
import { SvcError, toSvcError } from '../../src/errors.ts';
import { oneLine } from '../../src/one-line.ts';
import { toShellWord } from '../../src/pages/connect.ts';
import type { CommandInput, Run } from '../command.ts';
import type { DataTable } from '../init/from-data.ts';
import { type Answers, EXAMPLE_TOOL, FOLDERS, templatesOf } from '../init/template.ts';
import { typedSvc } from '../io/npx-hint.ts';
import { type Output, styled } from '../io/output.ts';
import { ignoreLines, makeFolders, refuseExisting, writeNew } from '../io/write-files.ts';
import { type MigrationNote, toNotesText } from '../migrate/rewrite.ts';

/** `svc init`: creates a project that can be served at once. */
export const run: Run = async (input, output) => {
  const root = resolve(input.args[0] ?? '.');
  const given = input.list('from');
  const toolbox = input.text('fromToolbox');
  if (given.length > 0 && input.flag('bootstrap')) throw both();
  if (toolbox !== undefined && (given.length > 0 || input.flag('bootstrap'))) throw alone();
  await refuseNested(root);
  const { data, ...answers } = await answersOf(input, root);
  const {
    files,
    database,
    notes,
    tables = [],
  } = toolbox !== undefined
    ? await createFromToolbox(root, answers, toolbox)
    : data.length > 0
      ? await output.progress('reading the data', () => createWithData(root, answers, data, output))
      : await createWithoutData(root, answers, output);
  const { project, profile } = answers;
  const made = {
    ...{ status: 'ok', root, project, profile, files, database },
    ...(tables.length > 0 && {
      tables: tables.map(({ name, columns }) => ({ name, columns: [...columns] })),
    }),
    ...(notes !== undefined && { notes: [...notes] }),
  };
  output.data(made, () =>
    [
      toText(root, files, answers, tables),
      ...(notes === undefined || notes.length === 0 ? [] : ['', NOT_CONVERTED, toNotesText(notes)]),
    ].join('\n'),
  );
  return 0;
};

const NOT_CONVERTED = 'Left out (lost), or different now (check):';

/** The paths of the created files, relative to the project. */
interface Created {
  readonly files: readonly string[];
  /** Null if the database could not be created. */
  readonly database: string | null;
  /** The remarks of a conversion, one for each thing that is not converted or has another meaning. */
  readonly notes?: readonly MigrationNote[];
  /** The tables and views of the data, with the types that their columns were given. */
  readonly tables?: readonly DataTable[];
}

/** The user file that holds the credentials of converted sources. */
const USER_FILE = '.svc/config.yml';

/** Creates the project with the tools and prompts of a `tools.yaml`. */
async function createFromToolbox(root: string, answers: Answers, path: string): Promise<Created> {
  const { planFromToolbox } = await import('../init/from-toolbox.ts');
  const { files, userFile, notes } = await planFromToolbox(path, root, answers);
  if (userFile !== null) refuseExisting(root, [USER_FILE]);
  const written = await writeProject(root, files);
  if (userFile === null) return { files: written, database: null, notes };
  await ignoreLines(root, ['.svc/']);
  await writeNew(root, { [USER_FILE]: userFile }, { mode: 0o600 });
  return { files: [...written, USER_FILE], database: null, notes };
}

/** Without the native engine the example's database is not made read-only, because the first start has to create it. */
async function createWithoutData(root: string, answers: Answers, output: Output): Promise<Created> {
  const readonly = answers.bootstrap && (await hasNativeEngine());
  const files = await writeProject(root, templatesOf(answers, readonly));
  const database = await createDatabase(root, answers, output);
  return { files: [...files, ...(database === null ? [] : [database])], database };
}

/** Creates the project with a database of the given files, and a tool for each of its tables. */
async function createWithData(
  root: string,
  answers: Answers,
  data: readonly string[],
  output: Output,
): Promise<Created> {
  const { createFromData } = await import('../init/from-data.ts');
  const database = databaseOf(answers);
  const files: string[] = [];
  const tables: DataTable[] = [];
  await createFromData(join(root, database), data, async (tools) => {
    files.push(...(await writeProject(root, { ...templatesOf(answers, true), ...tools.files })));
    tables.push(...tools.tables);
    for (const note of tools.notes) output.note(toNote(note));
  });
  return { files: [...files, database], database, tables };
}

/** Writes the folders and the files, and returns the paths of the files. Throws before all that if any of them exists. */
async function writeProject(
  root: string,
  files: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  refuseExisting(root, Object.keys(files));
  await makeFolders(root, FOLDERS);
  await writeNew(root, files);
  await ignoreLines(root, IGNORED);
  return Object.keys(files);
}

/** The files of a project that belong to one machine: data, artefacts, packages, and files with secrets. */
const IGNORED = ['data/', 'audit/', 'build/', 'node_modules/', '.venv/', '__pycache__/', '.env', '.dev.vars'];

function databaseOf({ profile }: Answers): string {
  return `data/db-${profile}.db`;
}

function both(): SvcError {
  return new SvcError(
    'usage',
    '--from and --bootstrap exclude each other: --from writes a tool for each table, so it needs no example. Remove one of them.',
  );
}

function alone(): SvcError {
  return new SvcError(
    'usage',
    '--from-toolbox takes the database from the tools file, so it goes with neither --from nor --bootstrap. Remove one of them.',
  );
}

/** Throws if the folder is a project or inside one. */
async function refuseNested(root: string): Promise<void> {
  const around = await findProjectRoot(root);
  if (around === null) return;
  throw new SvcError(
    'project_invalid',
    around === root
      ? `${root} contains a project already: svc-site.yml. Nothing was changed.`
      : `${root} is inside the project ${around}. Create the new project outside it.`,
  );
}

/** Asks on a terminal for the answers that the options do not give. */
async function answersOf(
  input: CommandInput,
  root: string,
): Promise<Answers & { readonly data: readonly string[] }> {
  const given = {
    project: nameOf(input.text('project') ?? nameFrom(basename(root)), '--project'),
    profile: nameOf(input.text('profile') ?? 'default', '--profile'),
    bootstrap: input.flag('bootstrap'),
    data: input.list('from'),
  };
  if (input.text('fromToolbox') !== undefined) return given;
  const asks = process.stdin.isTTY && process.stdout.isTTY && !input.flag('yes') && !input.flag('json');
  if (!asks) return given;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  terminal.once('SIGINT', () => process.exit(130));
  try {
    const project = (await terminal.question(`Project name (${given.project}): `)).trim();
    const data = given.bootstrap || given.data.length > 0 ? given.data : await askForData(terminal);
    const example =
      !given.bootstrap && data.length === 0
        ? !/^n/i.test(await terminal.question('Add an example tool? (Y/n) '))
        : given.bootstrap;
    return { ...given, project: nameOf(project || given.project, 'The name'), bootstrap: example, data };
  } finally {
    terminal.close();
  }
}

/** Asks for files until each of them exists. The paths are separated by spaces, unless one is a path with spaces. */
async function askForData(terminal: Interface): Promise<readonly string[]> {
  const question = 'Data to start from: CSV, TSV, JSON, Parquet or DuckDB files (none): ';
  for (;;) {
    const text = (await terminal.question(question)).trim();
    // No shell reads the answer, so none expands it.
    const expand = (path: string) => expandHome(path, process.env);
    const words = text === '' || existsSync(expand(text)) ? [text].filter(Boolean) : text.split(/\s+/);
    const files = words.map(expand);
    const missing = files.filter((file) => !/[*?=]/.test(file) && !existsSync(file));
    if (missing.length === 0) return files;
    process.stderr.write(missing.map((file) => `There is no file ${file}.\n`).join(''));
  }
}

async function hasNativeEngine(): Promise<boolean> {
  const { loadDriver } = await import('../../adapters/duckdb-native/driver/driver.ts');
  return loadDriver().then(
    () => true,
    () => false,
  );
}

/** Makes a project name from a folder's name. */
function nameFrom(folder: string): string {
  const words = folder.normalize('NFC').replaceAll(/[^\p{L}\p{N}_.-]+/gu, '-');
  return words.replaceAll(/^[.-]+|-+$/g, '') || 'project';
}

/** Checks a name: both names become keys of the user file and parts of file names. */
function nameOf(name: string, option: string): string {
  if (/^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u.test(name)) return name;
  throw new SvcError('usage', `${option} ${name}: a name may contain only letters, digits, _, . and -.`);
}

/**
 * Creates the database from a `seed.sql` that is there, else empty. A failure, such as a missing native engine, is only a
 * warning, because the first start can create the file too.
 */
async function createDatabase(root: string, answers: Answers, output: Output): Promise<string | null> {
  const path = databaseOf(answers);
  try {
    if (await createFromSeed(root, join(root, path), path)) output.note(`created ${path} from ${SEED}`);
    else await createEmpty(join(root, path));
    return path;
  } catch (thrown) {
    output.note(toNote(`${path} was not created: ${toSvcError(thrown).message}`));
    return null;
  }
}

function toNote(text: string): string {
  return `${styled('warning', 'note:', process.stderr)} ${text}`;
}

/** The line for a table. It shows the header and the types that DuckDB guessed for a file. */
function toTableLine({ view, name, columns }: DataTable): string {
  const shown = columns.slice(0, SHOWN_COLUMNS).map((column) => `${oneLine(column.name)} ${column.type}`);
  const more = columns.length - shown.length;
  return `  ${view ? 'view' : 'table'} ${oneLine(name)}: ${shown.join(', ')}${more > 0 ? `, and ${more.toLocaleString('en')} more` : ''}`;
}

const SHOWN_COLUMNS = 20;

function toText(
  root: string,
  files: readonly string[],
  { bootstrap }: Answers,
  tables: readonly DataTable[],
): string {
  const where = relative(process.cwd(), root);
  const svc = typedSvc(root);
  const steps = [
    ...(where === '' ? [] : [`cd ${toShellWord(where)}`]),
    ...(files.includes(USER_FILE) ? [`export SVC_CONFIG="$PWD"/${USER_FILE}`] : []),
    `${svc} validate`,
    ...(bootstrap ? [`${svc} run tool ${EXAMPLE_TOOL} --param name=Ada`] : []),
    ...(tables.length > 0 ? [`${svc} test`] : []),
    `${svc} serve`,
  ];
  return [
    `${styled('ok', 'created')} ${styled('strong', where || '.')}`,
    ...files.map((file) => `  ${file}`),
    ...tables.map(toTableLine),
    '',
    'Next:',
    ...steps.map((step) => `  ${step}`),
  ].join('\n');
}
