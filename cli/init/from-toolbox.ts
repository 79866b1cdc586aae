import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { stringify } from 'yaml';
import { openNodeDatabase } from '../../adapters/node/database/open-database.ts';
import { checkCatalog } from '../../src/catalog/checks/check.ts';
import { compileCatalog } from '../../src/catalog/compile.ts';
import { messageOf, SvcError } from '../../src/errors.ts';
import type { JsonObject } from '../../src/json.ts';
import { MEMORY_PATH } from '../../src/project/attachment.ts';
import type { Finding } from '../../src/project/finding.ts';
import { loadProject } from '../../src/project/load.ts';
import type { Project } from '../../src/project/model.ts';
import { decodeLoosely } from '../../src/project/yaml/decode.ts';
import { checkStatements, UNAVAILABLE } from '../../src/quality/statements.ts';
import { plannedFilesOf } from '../migrate/check-plan.ts';
import type { MigrationNote } from '../migrate/rewrite.ts';
import type { Answers } from './template.ts';
import { type ConvertedToolbox, convertToolbox, type PlannedEndpoint } from './toolbox/convert.ts';

/** The files of a project that is made from a `tools.yaml`, and everything that they leave out or change. */
interface ToolboxProject {
  readonly files: Readonly<Record<string, string>>;
  /** The user file with the credentials of the sources; null if no source has any. */
  readonly userFile: string | null;
  readonly notes: readonly MigrationNote[];
}

/**
 * Plans a project from a `tools.yaml` of MCP Toolbox. Each endpoint of the plan is valid; an item whose endpoint would not be
 * is named in the notes. Writes nothing.
 *
 * @throws usage if the file cannot be read or is not a tools file.
 */
export async function planFromToolbox(
  asked: string,
  root: string,
  answers: Answers,
): Promise<ToolboxProject> {
  const path = resolve(asked);
  const bytes = await readFile(path).catch((thrown) => {
    throw new SvcError('usage', `--from-toolbox ${asked}: the file cannot be read: ${messageOf(thrown)}`);
  });
  const converted = convertToolbox(decodeLoosely(bytes), { file: path, root, env: process.env });
  const site = toSite(answers, converted);
  const { kept, notes } = await keepValid(site, converted, root);
  const all = [...converted.notes, ...notes];
  return {
    files: { 'svc-site.yml': site, ...toFiles(kept) },
    userFile: toUserFile(answers, converted),
    notes: all.map((note) => ({ ...note, file: asked })).toSorted((one, other) => one.line - other.line),
  };
}

const PRINTED = { lineWidth: 0, aliasDuplicateObjects: false } as const;

function toFiles(endpoints: readonly PlannedEndpoint[]): Readonly<Record<string, string>> {
  return Object.fromEntries(endpoints.map(({ path, file }) => [path, stringify(file, PRINTED)]));
}

/** The site file. One DuckDB file is the project's database; all other sources are attached. */
function toSite({ project, profile }: Answers, { sources, written }: ConvertedToolbox): string {
  const [first] = sources;
  const secrets = sources.flatMap(({ name, secret }) => (secret === null ? [] : [name]));
  const extensions = [...new Set(sources.flatMap(({ extension }) => extension ?? []))];
  const site: JsonObject = {
    svc: 1,
    project,
    profile,
    ...(extensions.length > 0 ? { extensions } : {}),
    ...(secrets.length > 0 ? { secrets } : {}),
    profiles: {
      [profile]: {
        database:
          first === undefined ? { path: `data/db-${profile}.db` } : toDatabase(first, { sources, written }),
      },
    },
  };
  return stringify(site, PRINTED);
}

function toDatabase(
  first: ConvertedToolbox['sources'][number],
  { sources, written }: Pick<ConvertedToolbox, 'sources' | 'written'>,
): JsonObject {
  if (sources.length === 1 && first.file !== null) {
    return { path: first.file, readonly: !written.has(first.name) };
  }
  const attach = sources.map(({ name, uri, secret }) => ({
    name,
    uri,
    ...(secret === null ? {} : { secret: name }),
    ...(written.has(name) ? { readonly: false } : {}),
  }));
  return { path: MEMORY_PATH, attach, use: first.name };
}

function toUserFile({ project, profile }: Answers, { sources }: ConvertedToolbox): string | null {
  const secrets = sources.flatMap(({ name, secret }) => (secret === null ? [] : [{ name, ...secret }]));
  if (secrets.length === 0) return null;
  return stringify({ svc: 1, projects: { [project]: { profiles: { [profile]: { secrets } } } } }, PRINTED);
}

interface Kept {
  readonly kept: readonly PlannedEndpoint[];
  readonly notes: readonly MigrationNote[];
}

/** Leaves out the endpoints with errors, and says why. */
async function keepValid(site: string, { endpoints }: ConvertedToolbox, root: string): Promise<Kept> {
  const twice = endpoints.filter(
    ({ path }, index) => endpoints.findIndex((one) => one.path === path) !== index,
  );
  const unique = endpoints.filter((one) => !twice.includes(one));
  const project = await load(site, unique, root);
  const errors = await errorsOf(project);
  const sound = unique.filter(({ path }) => !errors.some(({ file }) => file === path));
  const { refused, remarks } = await parseSql(await load(site, sound, root));
  const wrong = [...errors, ...refused];
  const itemOf = new Map(unique.map(({ path, item }) => [path, item]));
  return {
    kept: unique.filter(({ path }) => !wrong.some(({ file }) => file === path)),
    notes: [
      ...twice.map(({ item }) => toNote(item, 'Another item has the same name in svc.')),
      ...wrong.flatMap(({ file, message }) => {
        const item = itemOf.get(file);
        return item === undefined ? [] : [toNote(item, message)];
      }),
      ...remarks,
    ],
  };
}

function toNote({ kind, name, line }: PlannedEndpoint['item'], message: string): MigrationNote {
  return { kind: 'lost', file: '', line, message: `${kind} ${name}: ${message}` };
}

function load(site: string, endpoints: readonly PlannedEndpoint[], root: string): Promise<Project> {
  const texts = { 'svc-site.yml': site, ...toFiles(endpoints) };
  const planned = Object.entries(texts).map(([path, text]) => ({ path, from: path, text }));
  return loadProject(plannedFilesOf(root, planned), root);
}

async function errorsOf(project: Project): Promise<readonly Finding[]> {
  const found = [...project.findings, ...(await checkCatalog(project))];
  return found.filter(({ severity }) => severity === 'error');
}

/** Parses each statement with DuckDB, which need not have the tables for it. */
async function parseSql(
  project: Project,
): Promise<{ readonly refused: readonly Finding[]; readonly remarks: readonly MigrationNote[] }> {
  const tools = project.endpoints.flatMap(({ endpoint }) => (endpoint?.kind === 'tool' ? [endpoint] : []));
  if (tools.length === 0) return { refused: [], remarks: [] };
  try {
    const database = await openNodeDatabase({ path: MEMORY_PATH, readonly: false, engine: 'native' });
    try {
      const serving = { platform: null, engine: 'duckdb-native', syntaxOnly: true } as const;
      const refused = await checkStatements(tools, await compileCatalog(project), database, serving);
      return { refused, remarks: [] };
    } finally {
      await database.close();
    }
  } catch (thrown) {
    if (!(thrown instanceof SvcError) || !UNAVAILABLE.has(thrown.code)) throw thrown;
    const message = `The SQL was not parsed. ${thrown.message.split('\n')[0] ?? ''}`;
    return { refused: [], remarks: [{ kind: 'check', file: '', line: 0, message }] };
  }
}
