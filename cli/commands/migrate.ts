import { chmod, copyFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { makeFolder } from '../../adapters/node/make-folder.ts';
import { SvcError } from '../../src/errors.ts';
import { toShellWord } from '../../src/pages/connect.ts';
import { byPlace, type Finding } from '../../src/project/finding.ts';
import type { Run } from '../command.ts';
import { deleteOnSignal } from '../io/delete-on-signal.ts';
import { toFindingLines } from '../io/findings.ts';
import { typedSvc } from '../io/npx-hint.ts';
import { count, styled } from '../io/output.ts';
import { ignoreLines } from '../io/write-files.ts';
import { checkPlan } from '../migrate/check-plan.ts';
import { type PlannedFile, planMigration } from '../migrate/plan.ts';
import { type MigrationNote, toNotesText } from '../migrate/rewrite.ts';
import { noteUndefinedSecrets } from '../migrate/undefined-secrets.ts';
import { type MigratedUser, migrateUser } from '../migrate/user-file.ts';

/** `svc migrate <dir>`: writes an MXCP project as an svc project into a new folder. */
export const run: Run = async (input, output) => {
  const root = resolve(input.args[0] ?? '.');
  const out = input.text('out');
  const target = out === undefined ? `${root}-svc` : resolve(out);
  const writes = input.flag('write') || out !== undefined;
  if (writes) await refuseTarget(root, target);
  const { files, notes: planned } = await planMigration(root);
  const notes: MigrationNote[] = [...planned];
  const user = await migrateUser(input.text('config'));
  const findings = [...(await checkPlan(root, files)), ...(user?.findings ?? [])].toSorted(byPlace);
  if (writes) {
    notes.push(...(await writeAll(root, target, { files, user })));
  }
  const report: Report = {
    status: findings.some(({ severity }) => severity === 'error') ? 'error' : 'ok',
    from: root,
    to: target,
    written: writes,
    files: files.map(({ path, from, text }) => ({ path, from, rewritten: text !== null })),
    user_config: user && { path: user.path, from: user.from },
    notes: [...notes, ...(await noteUndefinedSecrets(root, user?.text ?? null)), ...(user?.notes ?? [])],
  };
  const document = { ...report, findings: findings.map((finding) => ({ ...finding })) };
  output.data(document, () => toText(report, files, findings));
  return report.status === 'ok' ? 0 : 1;
};

type Report = {
  readonly status: 'ok' | 'error';
  readonly from: string;
  readonly to: string;
  readonly written: boolean;
  readonly files: readonly { readonly path: string; readonly from: string; readonly rewritten: boolean }[];
  readonly user_config: { readonly path: string; readonly from: string } | null;
  readonly notes: readonly MigrationNote[];
};

/** Writes everything. If a step fails or a signal ends it, deletes what it made in the folder, which was empty. */
async function writeAll(
  root: string,
  target: string,
  { files, user }: { readonly files: readonly PlannedFile[]; readonly user: MigratedUser | null },
): Promise<readonly MigrationNote[]> {
  const made = makeFolder(target);
  const ours = made === undefined ? topOf(target, files) : [made];
  const keep = deleteOnSignal(ours);
  try {
    const notes = await writePlan(root, target, files);
    if (user) await writeUser(target, user);
    return notes;
  } catch (thrown) {
    await Promise.all(ours.map((path) => rm(path, { recursive: true, force: true })));
    throw thrown;
  } finally {
    keep();
  }
}

/** What a migration writes into an empty folder. */
function topOf(target: string, files: readonly PlannedFile[]): readonly string[] {
  const names = files.map(({ path }) => path.split('/')[0] ?? '');
  return [...new Set([...names, '.svc', '.gitignore'])].map((name) => join(target, name));
}

/** Writes the user file readable by its owner only and ignored by git, because it may hold secrets. */
async function writeUser(target: string, { path, text }: MigratedUser): Promise<void> {
  const to = join(target, path);
  makeFolder(dirname(to));
  await writeFile(to, text, { mode: 0o600 });
  await chmod(to, 0o600);
  await ignoreLines(target, ['.svc/']);
}

function toText(report: Report, files: readonly PlannedFile[], findings: readonly Finding[]): string {
  const { to, written, notes, user_config } = report;
  const shown = files.filter(({ text, path, from }) => text !== null || path !== from);
  const where = relative(process.cwd(), to) || '.';
  const user = user_config === null ? [] : [`  ${user_config.path}  ${styled('dim', user_config.from)}`];
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  return [
    `${written ? styled('ok', 'wrote') : 'would write'} ${styled('strong', where)}`,
    ...shown.map(({ path, from }) => `  ${path}${path === from ? '' : `  ${styled('dim', from)}`}`),
    ...user,
    `  ${count(files.length - shown.length, 'file')} unchanged`,
    ...(notes.length === 0 ? [] : ['', toNotesText(notes)]),
    ...(findings.length === 0 ? [] : ['', toFindingLines(findings)]),
    '',
    errors === 0
      ? `${styled('ok', 'ok')}: the files of the new project have no errors`
      : `${count(errors, 'error')} to fix by hand`,
    ...nextSteps(report, where),
  ].join('\n');
}

function nextSteps({ to, written, user_config }: Report, where: string): readonly string[] {
  if (!written)
    return [
      '',
      'Nothing was written. Write the project with --write, or to a folder of your choice with --out.',
    ];
  const config =
    user_config === null
      ? []
      : [`  export SVC_CONFIG="$PWD"/${user_config.path}   # or move it to ~/.svc/config.yml`];
  const svc = typedSvc(to);
  return ['', 'Next:', `  cd ${toShellWord(where)}`, ...config, `  ${svc} validate`, `  ${svc} test`];
}

/** Throws if the new project could overwrite a file of the old one or of anything else. */
async function refuseTarget(root: string, target: string): Promise<void> {
  const [one, other] = [resolve(root), resolve(target)];
  if (one === other || isInside(one, other) || isInside(other, one)) {
    throw new SvcError(
      'usage',
      `${target} and ${root} are one folder, or one is inside the other.\nThe old project must stay unchanged. Name a folder beside it with --out.`,
    );
  }
  const held = await readdir(target).catch(() => []);
  if (held.length === 0) return;
  throw new SvcError('usage', `${target} is not empty. Nothing was written; name a new folder with --out.`);
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`);
}

/**
 * Writes the new project. Scripts stay executable. Returns remarks about files that changed before all were copied,
 * such as a database and its log.
 */
async function writePlan(
  root: string,
  target: string,
  planned: readonly PlannedFile[],
): Promise<readonly MigrationNote[]> {
  const copied = planned.filter(({ text }) => text === null).map(({ from }) => from);
  const versions = () => Promise.all(copied.map((from) => versionOf(join(root, from))));
  const before = await versions();
  for (const { path, from, text } of planned) {
    const [source, to] = [join(root, from), join(target, path)];
    makeFolder(dirname(to));
    if (text === null) await copyFile(source, to);
    else await writeFile(to, text, { mode: (await stat(source)).mode });
  }
  const after = await versions();
  return copied
    .filter((_, index) => before[index] !== after[index])
    .map((file) => ({ kind: 'check', file, line: 0, message: CHANGED }));
}

const CHANGED =
  'It changed while it was copied, so the copy may be broken. Stop the programs that write to it, and copy it again.';

/** Null for a file that is gone. */
async function versionOf(path: string): Promise<string | null> {
  const found = await stat(path).catch(() => null);
  return found && `${found.size} ${found.mtimeMs} ${found.ino}`;
}
