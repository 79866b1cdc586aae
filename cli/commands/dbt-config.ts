import { isAbsolute, relative, resolve } from 'node:path';
import { findUserFile } from '../../adapters/node/user-file.ts';
import { SvcError } from '../../src/errors.ts';
import { type JsonObject, toTextOrJson } from '../../src/json.ts';
import { MEMORY_PATH } from '../../src/project/attachment.ts';
import { activePart } from '../../src/settings/active.ts';
import { checkSelectedNames, readUserFile } from '../../src/settings/user-file.ts';
import type { CommandInput, Run } from '../command.ts';
import { dbtFolder, dbtSite, PROFILES_FILE, PROJECT_FILE, refuseNoFile } from '../dbt/folder.ts';
import { type WrittenSecret, wantedProfiles, wantedProject } from '../dbt/required-values.ts';
import { refuseCollisions } from '../dbt/secret-names.ts';
import { toShownChange } from '../dbt/shown-changes.ts';
import { type DbtChange, type MergedFile, mergeFile, writeMerged } from '../dbt/yaml-merge.ts';
import { styled } from '../io/output.ts';
import { checkSite } from '../project/project.ts';
import { toConfigError } from '../project/settings.ts';

const HEAD = 'Written by `svc dbt-config`, which merges its values and keeps yours.';

/** `svc dbt-config`: writes profiles.yml and dbt_project.yml for the project's database. */
export const run: Run = async (input, output) => {
  const files = (await mergedFiles(input)).map((file) => ({
    ...file,
    changes: file.changes.map(toShownChange),
  }));
  const lost = files.flatMap(({ changes }) => changes.filter(({ action }) => action !== 'add'));
  const dryRun = input.flag('dryRun');
  if (lost.length > 0 && !input.flag('force') && !dryRun) throw refusal(files);
  if (!dryRun) await writeMerged(files);
  const document = {
    status: 'ok',
    written: !dryRun,
    needs_force: lost.length > 0,
    files: files.map(({ path, action, changes }) => ({ path, action, changes: [...changes] })),
  };
  output.data(document, () => toDbtChangeLines(files, { dryRun, needsForce: lost.length > 0 }));
  return 0;
};

async function mergedFiles(input: CommandInput): Promise<readonly MergedFile[]> {
  const checked = await checkSite(input);
  const site = dbtSite(checked);
  const { path } = site.database;
  refuseNoFile(path);
  const { root } = checked.project;
  const folder = dbtFolder(root, process.cwd());
  const asked = input.text('profilesDir') ?? process.env.DBT_PROFILES_DIR;
  const profiles = asked ? resolve(asked) : folder;
  const secrets = await writtenSecrets(site);
  refuseCollisions(secrets);
  const beside = profiles === folder && !isAbsolute(path);
  const file = beside ? relative(folder, resolve(root, path)) : resolve(root, path);
  // DuckDB expands `~/` too, for each user of the written file.
  const database = path === MEMORY_PATH || path.startsWith('~/') ? path : file;
  return [
    await mergeFile(resolve(profiles, PROFILES_FILE), () => wantedProfiles(site, secrets, database), HEAD),
    await mergeFile(resolve(folder, PROJECT_FILE), (fresh) => wantedProject(site, fresh), HEAD),
  ];
}

/** The active profile's secrets as written. References stay unresolved, so no secret value can end up in a file. */
async function writtenSecrets(site: { project: string; profile: string }): Promise<readonly WrittenSecret[]> {
  const file = await findUserFile(process.env);
  if (file === null) return [];
  const { user, findings } = readUserFile(file.bytes, file.name);
  const errors = [...findings, ...(user === null ? [] : checkSelectedNames(user, site))];
  if (errors.length > 0) throw toConfigError(errors);
  const { profile } = activePart(user, site) as { profile?: { secrets?: readonly JsonObject[] } };
  return (profile?.secrets ?? []).map(({ name, type, parameters }) => ({
    name: String(name),
    type: String(type),
    parameters: (parameters ?? {}) as JsonObject,
  }));
}

function refusal(files: readonly MergedFile[]): SvcError {
  const lines = toDbtChangeLines(files, { dryRun: true, needsForce: true });
  return new SvcError(
    'config_invalid',
    `Existing values would change. Nothing was written.
${lines}
Keep them, or replace them with \`svc dbt-config --force\`.`,
    { detail: { files: files.map(({ path, changes }) => ({ path, changes: [...changes] })) } },
  );
}

const MARKS = { add: '+', change: '~', remove: '-' } as const;

/** Lists each file with its changes. */
function toDbtChangeLines(
  files: readonly MergedFile[],
  { dryRun, needsForce }: { readonly dryRun: boolean; readonly needsForce: boolean },
): string {
  const lines = files.flatMap(({ path, action, changes }) => [
    `${verbOf(action, dryRun)} ${styled('strong', relative(process.cwd(), path) || path)}`,
    ...changes.map(toLine),
  ]);
  return [...lines, ...(dryRun && needsForce ? ['~ and - need --force'] : [])].join('\n');
}

function verbOf(action: MergedFile['action'], dryRun: boolean): string {
  if (action === 'none') return styled('dim', 'unchanged');
  return styled('ok', dryRun ? `would ${action}` : `${action}d`);
}

function toLine({ action, key, from, to }: DbtChange): string {
  const value =
    action === 'change'
      ? `${toTextOrJson(from)} -> ${toTextOrJson(to)}`
      : toTextOrJson(action === 'add' ? to : from);
  return `  ${MARKS[action]} ${key}: ${value}`;
}
