import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isUnreachable } from '../../adapters/duckdb-native/attach/errors.ts';
import type { DatabaseSecret } from '../../adapters/duckdb-native/options.ts';
import { compileEngine } from '../../adapters/duckdb-wasm/engine/artefact.ts';
import { pathFile } from '../../adapters/duckdb-wasm/engine/path-file.ts';
import { openWasm } from '../../adapters/duckdb-wasm/in-process.ts';
import { BLOCK_BYTES } from '../../adapters/duckdb-wasm/remote/blocks.ts';
import { absolutePath } from '../../adapters/node/absolute-path.ts';
import type { DatabaseChoice } from '../../adapters/node/database/database-choice.ts';
import { inspectFile, refusalOf } from '../../adapters/node/database/database-file.ts';
import { openNodeDatabase } from '../../adapters/node/database/open-database.ts';
import { createFromSeed } from '../../adapters/node/database/seed.ts';
import { isTargetName, TARGETS, type TargetChoice } from '../../deploy/targets/targets.ts';
import { compileCatalog } from '../../src/catalog/compile.ts';
import type { Catalog } from '../../src/catalog/model.ts';
import { SvcError } from '../../src/errors.ts';
import type { Database } from '../../src/ports.ts';
import { MEMORY_PATH, parseAttachmentUri } from '../../src/project/attachment.ts';
import { type Finding, preventsServing } from '../../src/project/finding.ts';
import { extensionPath, SITE_NAME, type SiteFile } from '../../src/project/site-model.ts';
import { type Positions, positionAt } from '../../src/project/yaml/position.ts';
import { checkAttachments, checkExtensions, type ServingPlatform } from '../../src/quality/platform.ts';
import { checkRanges } from '../../src/quality/ranges/check.ts';
import { checkStatements, UNAVAILABLE } from '../../src/quality/statements.ts';
import { checkTablesExist } from '../../src/quality/table-rules.ts';
import type { Output } from '../io/output.ts';
import type { Say } from '../io/progress.ts';
import { tryExtensions } from './extensions.ts';
import { openBeside } from './open.ts';
import { databaseFor } from './options.ts';
import { type CheckedProject, soundPart } from './project.ts';
import { ensureWasmArtefact } from './wasm-artefact.ts';

/** The code of a finding that says why SQL was not checked. */
export const NOT_CHECKED = 'sql-not-checked';

const SITE_START = { file: SITE_NAME, line: 0, column: 0 } as const;

/** The scope of `svc validate`: one file or all, for a target or for the profile's own engine. */
interface ValidationScope {
  readonly file: string | null;
  readonly target: TargetChoice | null;
  /** The secrets of the profile, which open remote data. */
  readonly secrets?: readonly DatabaseSecret[];
  /** If true, unreachable remote data is not an error. */
  readonly offline?: boolean;
  /** Receives a note if another process holds the database, so that a copy is checked. */
  readonly output: Output;
  /** Receives each endpoint before its statement is checked. */
  readonly onEndpoint?: Say;
}

/**
 * Checks the SQL of endpoints without errors on the engine that will serve them. Checks nothing if svc-site.yml has an
 * error, because such a project has no catalog.
 */
export async function checkDatabase(
  checked: CheckedProject,
  { file, target, secrets = [], offline = false, output, onEndpoint = () => {} }: ValidationScope,
): Promise<readonly Finding[]> {
  const { site } = checked.project;
  const unusable = (one: Finding) => one.file === SITE_NAME && preventsServing(one);
  if (site === null || checked.findings.some(unusable)) return [];
  const sound = soundPart(checked);
  const choice = { ...loadable(databaseFor(checked, target)), secrets };
  const serving = servingOf(choice, target);
  const positions = checked.project.sitePositions ?? {};
  const unknown = [
    ...checkExtensions(site, serving, positions),
    ...checkAttachments(site, serving, positions),
  ];
  const lost = choice.engine === 'native' ? await checkLoadable(choice, site, positions) : [];
  const asked = sound.endpoints.flatMap(({ endpoint }) =>
    endpoint?.enabled && endpoint.kind !== 'prompt' && (file ?? endpoint.file) === endpoint.file
      ? [endpoint]
      : [],
  );
  const detached = choice.engine === 'wasm' && (choice.attach ?? []).length > 0;
  const refused = await checkFile(choice);
  const tables = file === null || file === SITE_NAME ? (site.sqlTools.tables ?? []) : [];
  if (asked.length + tables.length === 0 || detached || lost.length + refused.length > 0)
    return [...unknown, ...lost, ...refused];
  const catalog = await compileCatalog(sound);
  const [absent] = newFilesOf(choice);
  if (absent !== undefined)
    return [...unknown, notCreated(absent), ...(await checkSyntax(asked, catalog, serving))];
  try {
    const check = async (database: Database, path: string) => [
      ...(await checkTablesExist(tables, positions, database)),
      ...(await checkStatements(asked, catalog, database, { ...serving, offline, onEndpoint })),
      ...(await checkRangesOn(target, path, asked, catalog)),
    ];
    return [...unknown, ...(await withDatabase(sound.root, choice, output, check))];
  } catch (thrown) {
    if (!(thrown instanceof SvcError) || !UNAVAILABLE.has(thrown.code)) throw thrown;
    const fails = isUnreachable(thrown) && !offline;
    const syntax = await checkSyntax(asked, catalog, serving);
    return [...unknown, fails ? unreachable(thrown) : notChecked(choice, thrown), ...syntax];
  }
}

/** Leaves out extensions for the wasm engine, which loads none: they are findings, and the SQL is still checked. */
function loadable({ extensions, ...choice }: DatabaseChoice): DatabaseChoice {
  return choice.engine === 'wasm' || extensions === undefined ? choice : { ...choice, extensions };
}

/** Parses the SQL with an empty engine. Finds nothing on a machine without the native engine. */
async function checkSyntax(
  endpoints: Parameters<typeof checkStatements>[0],
  catalog: Catalog,
  serving: ServingPlatform,
): Promise<readonly Finding[]> {
  try {
    const empty: DatabaseChoice = { path: MEMORY_PATH, readonly: false, engine: 'native' };
    return await use(await openNodeDatabase(empty), MEMORY_PATH, (database) =>
      checkStatements(endpoints, catalog, database, { ...serving, syntaxOnly: true }),
    );
  } catch (thrown) {
    if (thrown instanceof SvcError && UNAVAILABLE.has(thrown.code)) return [];
    throw thrown;
  }
}

/** Names the platform and engine for findings. An engine alone is not a platform. */
function servingOf({ engine }: DatabaseChoice, target: TargetChoice | null): ServingPlatform {
  const platform = target === 'wasm' || target === 'native' ? null : target;
  return { platform, engine: engine === 'wasm' ? 'duckdb-wasm' : 'duckdb-native' };
}

/** A file that no engine here opens, found without one. */
async function checkFile({ path }: DatabaseChoice): Promise<readonly Finding[]> {
  const refusal = refusalOf(path, await inspectFile(path));
  if (refusal === null) return [];
  const [message = '', ...fix] = refusal.split('\n');
  return [{ severity: 'error', code: 'database-unreadable', ...SITE_START, message, fix: fix.join('\n') }];
}

/** Opens the database. If there is none, makes a temporary one from the seed script. */
async function withDatabase<T>(
  root: string,
  choice: DatabaseChoice,
  output: Output,
  work: (database: Database, path: string) => Promise<T>,
): Promise<T> {
  const found = choice.path === MEMORY_PATH || existsSync(choice.path);
  if (found) return use(await openBeside(root, choice, { output, writes: 'planned' }), choice.path, work);
  if (choice.engine === 'wasm') await ensureWasmArtefact();
  const path = join(tmpdir(), `svc-${randomUUID()}.db`);
  try {
    if (await createFromSeed(root, path, choice.path))
      return await use(await openNodeDatabase({ ...choice, path }), path, work);
    throw new SvcError('database_unavailable', `there is no file ${choice.path} yet`);
  } finally {
    for (const made of [path, `${path}.wal`]) await rm(made, { force: true });
  }
}

async function use<T>(
  database: Database,
  path: string,
  work: (database: Database, path: string) => Promise<T>,
): Promise<T> {
  try {
    return await work(database, path);
  } finally {
    await database.close();
  }
}

function unreachable({ code, message }: SvcError): Finding {
  const [text = '', fix = ''] = message.split('\n');
  return {
    severity: 'error',
    code: code.replaceAll('_', '-'),
    ...SITE_START,
    message: text,
    fix: `${fix} With \`--offline\` it is not an error.`,
  };
}

function notChecked({ path }: DatabaseChoice, thrown: SvcError): Finding {
  const [reason = '', ...advice] = thrown.message.split('\n');
  const away = isUnreachable(thrown);
  const fix = existsSync(path)
    ? `Stop the process that holds ${path}, and validate again.`
    : advice.join('\n') || `Create ${path}, or put a seed.sql beside svc-site.yml, and validate again.`;
  return {
    severity: 'info',
    code: NOT_CHECKED,
    ...SITE_START,
    message: away
      ? `The SQL was not checked: unreachable. ${reason}`
      : `The SQL was not checked against the database: ${reason}`,
    fix: away ? 'Validate again without `--offline` on a machine that can reach it.' : fix,
  };
}

/** The attached files that a server would create. */
function newFilesOf({ readonly, attach = [], root = process.cwd() }: DatabaseChoice): readonly string[] {
  if (readonly) return [];
  const written = attach.filter((one) => one.readonly === false);
  const files = written.flatMap(({ uri }) => parseAttachmentUri(uri).file ?? []);
  return files.map((file) => absolutePath(root, file)).filter((path) => !existsSync(path));
}

function notCreated(path: string): Finding {
  return {
    severity: 'info',
    code: NOT_CHECKED,
    ...SITE_START,
    message: `The SQL was not checked against the database: there is no file ${path} yet`,
    fix: 'Create it, or start the server, which creates it. Then validate again.',
  };
}

/** Finds the extensions that the native engine cannot load on this machine. A server would not start with them. */
async function checkLoadable(
  { extensions }: DatabaseChoice,
  site: SiteFile,
  positions: Positions,
): Promise<readonly Finding[]> {
  return (await tryExtensions(extensions)).map(({ index, error }) => {
    const [message = '', fix = ''] = error.message.split('\n');
    return {
      severity: 'error',
      code: 'extension-unavailable',
      file: SITE_NAME,
      ...positionAt(positions, extensionPath(site, index)),
      message,
      fix,
    };
  });
}

/** The memory for listing the blocks of a large database, in MiB. */
const MEMORY_MB = 1024;

/** Compares the plans of endpoints with the limits of a platform that reads a database of this size by ranges. */
async function checkRangesOn(
  target: TargetChoice | null,
  path: string,
  endpoints: Parameters<typeof checkRanges>[0],
  catalog: Catalog,
): Promise<readonly Finding[]> {
  if (target === null || !isTargetName(target) || path === MEMORY_PATH) return [];
  const { remote } = (await TARGETS[target].load()).target;
  const { size } = await stat(path);
  if (!remote || remote.above === null || remote.mostRanges === null || size <= remote.above) return [];
  const limits = { platform: target, ranges: remote.mostRanges, blockBytes: BLOCK_BYTES };
  const database = await openWasm({ ...(await compileEngine()), file: pathFile(path), memoryMb: MEMORY_MB });
  try {
    return await checkRanges(endpoints, catalog, database, limits);
  } finally {
    await database.close();
  }
}
