import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseChoice } from '../adapters/node/database-choice.ts';
import { openDatabase } from '../adapters/node/open-database.ts';
import { createFromSeed } from '../adapters/node/seed.ts';
import { compileCatalog } from '../src/catalog/compile.ts';
import type { Catalog, ToolEntry } from '../src/catalog/model.ts';
import { SvcError } from '../src/errors.ts';
import type { Database } from '../src/ports.ts';
import type { Finding } from '../src/project/finding.ts';
import type { ToolEndpoint } from '../src/project/model.ts';
import { type CheckedProject, databaseOf, soundPart } from './project.ts';
import { ensureWasmArtefact } from './wasm-artefact.ts';

/** Plans the SQL of every tool without error so far, or of one file's, against the database; runs nothing. */
export async function checkStatements(
  checked: CheckedProject,
  file: string | null,
): Promise<readonly Finding[]> {
  if (checked.project.site === null) return [];
  const sound = soundPart(checked);
  const tools = sound.endpoints.flatMap(({ endpoint }) => (endpoint?.kind === 'tool' ? [endpoint] : []));
  const asked = tools.filter((tool) => tool.enabled && (file === null || tool.file === file));
  if (asked.length === 0) return [];
  const catalog = await compileCatalog(sound);
  const choice = databaseOf(checked);
  try {
    return await withDatabase(sound.root, choice, (database) => checkAll(asked, catalog, database));
  } catch (thrown) {
    if (thrown instanceof SvcError && UNAVAILABLE.has(thrown.code)) return [notChecked(choice, thrown)];
    throw thrown;
  }
}

const UNAVAILABLE = new Set(['database_unavailable', 'busy', 'target_unsupported']);

/** The database as it is; where there is none, a passing one made from the seed script. */
async function withDatabase<T>(
  root: string,
  choice: DatabaseChoice,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  if (choice.engine === 'wasm') await ensureWasmArtefact();
  if (existsSync(choice.path)) return use({ ...choice }, work);
  const path = join(tmpdir(), `svc-${randomUUID()}.db`);
  try {
    if (await createFromSeed(root, path)) return await use({ ...choice, path }, work);
    throw new SvcError('database_unavailable', `there is no file ${choice.path} yet`);
  } finally {
    for (const made of [path, `${path}.wal`]) await rm(made, { force: true });
  }
}

async function use<T>(choice: DatabaseChoice, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(choice);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

async function checkAll(
  tools: readonly ToolEndpoint[],
  catalog: Catalog,
  database: Database,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const tool of tools) {
    const entry = catalog.tools[tool.name];
    const problem = entry ? await problemOf(entry, database) : null;
    if (problem) findings.push(toFinding(tool, problem));
  }
  return findings;
}

async function problemOf({ source }: ToolEntry, database: Database): Promise<SvcError | null> {
  try {
    await database.prepare(source.sql, source.mode);
    return null;
  } catch (thrown) {
    if (thrown instanceof SvcError && !UNAVAILABLE.has(thrown.code)) return thrown;
    throw thrown;
  }
}

function toFinding({ file, source }: ToolEndpoint, { code, message }: SvcError): Finding {
  const at =
    source.file === null
      ? { file, line: source.line, column: source.column }
      : { file: source.file, line: 1, column: 1 };
  const fix =
    code === 'database_readonly'
      ? 'Set `readonly: false` for the database of the profile, or write the tool as one SELECT.'
      : 'Correct the SQL, or the database that it is meant for.';
  return { severity: 'error', code: code.replaceAll('_', '-'), ...at, message, fix };
}

function notChecked({ path }: DatabaseChoice, { message }: SvcError): Finding {
  return {
    severity: 'info',
    code: 'sql-not-checked',
    file: 'svc-site.yml',
    line: 0,
    column: 0,
    message: `The SQL was not checked against the database: ${message.split('\n')[0] ?? ''}`,
    fix: `Create ${path}, or stop the process that holds it, and validate again.`,
  };
}
