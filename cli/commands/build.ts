import { relative, resolve } from 'node:path';
import { createFromSeed, SEED } from '../../adapters/node/database/seed.ts';
import { findUserFile } from '../../adapters/node/user-file.ts';
import { buildTarget } from '../../deploy/build.ts';
import type { BuildResult } from '../../deploy/build-options.ts';
import { type LoadOptions, parseLoadSource } from '../../deploy/load-tables.ts';
import type { Architecture } from '../../deploy/native/architecture.ts';
import { parseSort } from '../../deploy/sort-tables.ts';
import { TARGETS, type TargetName } from '../../deploy/targets/targets.ts';
import { SvcError } from '../../src/errors.ts';
import { toShellWord } from '../../src/pages/connect.ts';
import type { CheckReport } from '../../src/quality/gate/report.ts';
import { toBoolean } from '../../src/settings/boolean.ts';
import { type Callers, readCallers } from '../../src/settings/sign-in.ts';
import { readUserFile } from '../../src/settings/user-file.ts';
import type { CommandInput, Run } from '../command.ts';
import { type DeployGate, openGate } from '../gate/build-gate.ts';
import { toReportDocument, toReportLines } from '../gate/report-text.ts';
import { deleteOnSignal } from '../io/delete-on-signal.ts';
import { toFindingLines } from '../io/findings.ts';
import { type Output, styled, toColumns } from '../io/output.ts';
import { archOf, engineOf, platformOf } from '../project/options.ts';
import { type CheckedProject, checkProject, databaseOf, refuseErrors, siteOf } from '../project/project.ts';
import { settingsOf, toConfigError } from '../project/settings.ts';
import { ensureWasmArtefact } from '../project/wasm-artefact.ts';

/** `svc build`: writes a folder that runs by itself on a platform. */
export const run: Run = async (input, output) => {
  const target = platformOf(input, 'build');
  const checked = await checkProject(input);
  siteOf(checked);
  const gate = await openGate(checked, target, input, output);
  const built = await buildChecked(checked, target, input, output, { gate });
  const checks = gate.reports();
  output.data({ status: 'ok', target, ...built, checks: toReportDocument(checks) }, () =>
    toText(built, checks),
  );
  return 0;
};

/** The choices of the command that builds. */
interface BuildChoices {
  readonly gate?: DeployGate;
  readonly arch?: Architecture;
  readonly local?: boolean;
  /** Whether the last build said `--public`. It does not count if the user file has sign-in now. */
  readonly public?: boolean;
  /** Python on a platform where it is experimental. */
  readonly python?: boolean;
  /** The place of the database unless the command line names one. */
  readonly store?: string | undefined;
}

/** Builds a loaded project with the options of `svc build`. Without a gate, only errors stop the build. */
export async function buildChecked(
  checked: CheckedProject,
  target: TargetName,
  input: CommandInput,
  output: Output,
  {
    gate,
    local = false,
    public: wasPublic = false,
    python = false,
    store: kept,
    ...machine
  }: BuildChoices = {},
): Promise<BuildResult> {
  refuseErrors(checked);
  const { root } = checked.project;
  const { path } = databaseOf(checked);
  const { arch = archOf(input) } = machine;
  if (await createFromSeed(root, path)) output.note(`created ${path} from ${SEED}`);
  await ensureWasmArtefact();
  const config = input.text('config');
  const load = loadOf(input);
  const store = input.text('store') ?? kept;
  const engine = engineOf(input);
  const secrets = engine === 'native' ? (await settingsOf(input, checked)).secrets : [];
  const own = await ownCallers(checked);
  const said = input.flag('public') || toBoolean(process.env.SVC_PUBLIC?.trim() ?? '') === true;
  return output.progress(`building for ${TARGETS[target].title}`, (say) =>
    buildTarget({
      onStep: say,
      onUnfinished: deleteOnSignal,
      root,
      target,
      out: outOf(root, target, input),
      profile: siteOf(checked).profile,
      engine,
      secrets,
      ...(arch === undefined ? {} : { arch }),
      local,
      own,
      public: said || (wasPublic && own.signIn === null),
      experimentalPython: python || input.flag('experimentalPython'),
      ...(config === undefined ? {} : { config: relative(root, resolve(config)) }),
      ...(load === null ? {} : { load }),
      sort: input.list('sort').map(parseSort),
      ...(store === undefined ? {} : { store }),
      ...(gate === undefined ? {} : { inspect: gate.inspect, incapable: true }),
    }),
  );
}

/** The callers that the user file of this machine names. References are not resolved. */
async function ownCallers(checked: CheckedProject): Promise<Callers> {
  const { project, profile } = siteOf(checked);
  const found = await findUserFile(process.env);
  if (found === null) return { signIn: null, public: false };
  const { user, findings } = readUserFile(found.bytes, found.name);
  if (user === null) throw toConfigError(findings);
  return readCallers(user, { project, profile });
}

/** The folder of a target's artefact. */
export function outOf(root: string, target: TargetName, input: CommandInput): string {
  const asked = input.text('out');
  return asked === undefined ? resolve(root, 'build', target) : resolve(asked);
}

function loadOf(input: CommandInput): LoadOptions | null {
  const sources = input.list('load').map((text) => parseLoadSource(text, process.cwd()));
  const replace = input.flag('replace');
  if (sources.length > 0) return { sources, replace };
  if (replace)
    throw new SvcError('usage', '--replace applies to the tables of --load. Name files with --load.');
  return null;
}

function toText(
  { out, files, hash, callers, next, loaded = [], warnings = [] }: BuildResult,
  checks: readonly CheckReport[],
): string {
  const rows = files.map(({ path, bytes }) => [path, `${bytes.toLocaleString('en')} bytes`]);
  const where = relative(process.cwd(), out) || '.';
  return [
    `${styled('ok', 'built')} ${styled('strong', where)} ${styled('dim', hash.slice(0, 12))}`,
    toColumns(rows, '  '),
    ...loaded.map(({ table, rows: count }) => `  table ${table}: ${count.toLocaleString('en')} rows`),
    ...toReportLines(checks.filter(({ status, note }) => status !== 'passed' || note !== undefined)),
    ...(warnings.length > 0 ? [toFindingLines(warnings)] : []),
    `Callers: ${callers}`,
    `Next: ${toFolder(where)}${next}`,
  ].join('\n');
}

/** The `cd` that the next command needs. */
function toFolder(where: string): string {
  return where === '.' ? '' : `cd ${toShellWord(where)} && `;
}
