import { readdir, readFile, stat } from 'node:fs/promises';
import { join, posix, relative, sep } from 'node:path';
import { SvcError } from '../../src/errors.ts';
import { isObject, type JsonValue } from '../../src/json.ts';
import { DEFAULT_PATHS, type Paths, SITE_NAME } from '../../src/project/site-model.ts';
import { PROJECT_FILE } from '../dbt/folder.ts';
import { rewriteEndpoint, rewriteSuite } from './endpoint-file.ts';
import type { MigrationNote, Rewritten } from './rewrite.ts';
import { rewritePython, rewriteText } from './script-file.ts';
import { rewriteSite } from './site-file.ts';
import { editYaml, nodeValueAt } from './yaml-edit.ts';

/** One file of the new project. */
export type PlannedFile = {
  readonly path: string;
  /** Its path in the old project. */
  readonly from: string;
  /** The new text; null if the file is copied unchanged. */
  readonly text: string | null;
};

/** The new project, with remarks for its author. */
interface MigrationPlan {
  readonly files: readonly PlannedFile[];
  readonly notes: readonly MigrationNote[];
}

/** The site file of MXCP. */
export const OLD_SITE = 'mxcp-site.yml';

/** Plans the new place and text of each file of a project. Writes nothing. */
export async function planMigration(root: string): Promise<MigrationPlan> {
  const { names, notes: links } = await listFiles(root);
  if (!names.includes(OLD_SITE)) {
    const here = names.includes(SITE_NAME) ? ` It has ${SITE_NAME}, so it is an svc project already.` : '';
    throw new SvcError('usage', `There is no ${OLD_SITE} in ${root}.${here}`);
  }
  const site = await readFile(join(root, OLD_SITE), 'utf8');
  const places = placesOf(editYaml(site)?.value ?? null);
  const files: PlannedFile[] = [];
  const notes: MigrationNote[] = [...links];
  for (const name of names) {
    const planned = await planFile(root, name, places);
    if (planned.file) files.push(planned.file);
    notes.push(...planned.notes);
  }
  // The log of a database has its name too.
  const taken = new Set(files.flatMap(({ path, from }) => (path === from ? [] : [path, `${path}.wal`])));
  const twice = files.filter(({ path, from }) => path === from && taken.has(path));
  notes.push(...twice.flatMap(({ from }) => leftOut(from, TAKEN).notes));
  return { files: files.filter((file) => !twice.includes(file)), notes };
}

const TAKEN = 'The file that MXCP used has this name now.';

interface Places {
  readonly paths: Paths;
  /** Databases at their default path, with their default path here. */
  readonly databases: ReadonlyMap<string, string>;
}

function placesOf(site: JsonValue): Places {
  const written = nodeValueAt(site, ['paths']) ?? null;
  const own = Object.entries(isObject(written) ? written : {}).flatMap(([name, path]) =>
    typeof path === 'string' ? [[name, posix.join(path, '.').replace(/\/$/, '')]] : [],
  );
  const paths = { ...DEFAULT_PATHS, ...Object.fromEntries(own) } as Paths;
  const profiles = nodeValueAt(site, ['profiles']) ?? null;
  const names = new Set([
    ...Object.keys(isObject(profiles) ? profiles : {}),
    String(nodeValueAt(site, ['profile'])),
  ]);
  const usual = [...names].filter((name) => nodeValueAt(profiles, [name, 'duckdb', 'path']) === undefined);
  const databases = usual.flatMap((name) =>
    ['', '.wal'].map(
      (end) => [`${paths.data}/db-${name}.duckdb${end}`, `${paths.data}/db-${name}.db${end}`] as const,
    ),
  );
  return { paths, databases: new Map(databases) };
}

interface Planned {
  readonly file: PlannedFile | null;
  readonly notes: readonly MigrationNote[];
}

async function planFile(root: string, from: string, { paths, databases }: Places): Promise<Planned> {
  const renamed = databases.get(from);
  if (renamed !== undefined) return moved(from, renamed);
  const below = (name: keyof Paths) => paths[name] === '.' || from.startsWith(`${paths[name]}/`);
  for (const name of ['audit', 'drift'] as const) {
    if (from.startsWith(`${paths[name]}/`)) return leftOut(from, LEFT[name]);
  }
  const rewrite = rewriterOf(from, below);
  if (rewrite === null) return { file: { path: from, from, text: null }, notes: [] };
  const text = toText(await readFile(join(root, from)));
  if (text === null) return untouched(from, 'It is not UTF-8, so it is copied unchanged.');
  const done = rewrite(text, from);
  if (done === null) return leftOut(from, 'It is neither an endpoint nor a suite. MXCP skipped it too.');
  const path = from === OLD_SITE ? SITE_NAME : from;
  const yaml = /\.yaml$/i.test(from) && rewrite !== rewriteText;
  const more: MigrationNote[] = yaml
    ? [{ kind: 'check', file: from, line: 0, message: 'MXCP never read `.yaml`; svc does.' }]
    : [];
  return {
    file: { path, from, text: done.text === text && path === from ? null : done.text },
    notes: [...done.notes, ...more],
  };
}

/** Decodes UTF-8; null for any other bytes, because writing them back would change them. */
function toText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function untouched(from: string, message: string): Planned {
  return {
    file: { path: from, from, text: null },
    notes: [{ kind: 'check', file: from, line: 0, message }],
  };
}

const LEFT = {
  audit: 'svc writes another format, so the records stay in the old project.',
  drift: 'svc uses another format. Take a new snapshot with `svc drift-snapshot`.',
};

function moved(from: string, path: string): Planned {
  const message = `The database is now ${path}.`;
  return { file: { path, from, text: null }, notes: [{ kind: 'done', file: from, line: 0, message }] };
}

function leftOut(file: string, message: string): Planned {
  return { file: null, notes: [{ kind: 'lost', file, line: 0, message: `Left out. ${message}` }] };
}

/** Scripts, and files that start servers. */
const TEXTS =
  /(^|\/)(\.env[^/]*|[^/]*\.(sh|bash|service|env)|Dockerfile[^/]*|(docker-)?compose[^/]*\.ya?ml|Makefile|Justfile|[^/]*\.json)$|^\.github\/workflows\//;

function rewriterOf(
  from: string,
  below: (name: keyof Paths) => boolean,
): ((text: string, file: string) => Rewritten | null) | null {
  if (from === OLD_SITE) return rewriteSite;
  const yaml = /\.ya?ml$/i.test(from);
  if (yaml && (below('tools') || below('resources') || below('prompts'))) return rewriteEndpoint;
  if (yaml && below('evals')) return rewriteSuite;
  if (from.endsWith('.py')) return rewritePython;
  return TEXTS.test(from) && !below('data') ? rewriteText : null;
}

/** Files that tools create again. */
const SKIPPED = /(^|\/)(\.git|node_modules|__pycache__|\.venv|venv|dbt_packages|\.DS_Store)(\/|$)/;

/** The files of a project. */
interface Listed {
  readonly names: readonly string[];
  /** Remarks about links. */
  readonly notes: readonly MigrationNote[];
}

/** Lists every file of a project, including files behind links. */
async function listFiles(root: string): Promise<Listed> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch((cause) => {
    throw new SvcError('usage', `${root} cannot be read: ${cause.message}`, { cause });
  });
  const names: string[] = [];
  const notes: MigrationNote[] = [];
  for (const entry of entries) {
    const path = relative(root, join(entry.parentPath, entry.name)).split(sep).join('/');
    if (SKIPPED.test(path)) continue;
    const link = entry.isSymbolicLink() ? await linkNote(root, path) : null;
    if (link !== null) notes.push(link);
    if (entry.isFile() || link?.kind === 'done') names.push(path);
  }
  return { names: withoutBuilt(names).toSorted(), notes };
}

async function linkNote(root: string, path: string): Promise<MigrationNote> {
  const found = await stat(join(root, path)).catch(() => null);
  if (found?.isFile()) {
    return { kind: 'done', file: path, line: 0, message: 'This is a link. The file behind it is copied.' };
  }
  const where = found === null ? 'nowhere' : 'to no file';
  return { kind: 'lost', file: path, line: 0, message: `Left out. This link leads ${where}.` };
}

/** Removes `target/` beside a dbt_project.yml, because dbt writes it. */
function withoutBuilt(names: readonly string[]): readonly string[] {
  const built = names.flatMap((name) =>
    posix.basename(name) === PROJECT_FILE ? [`${name.slice(0, -PROJECT_FILE.length)}target/`] : [],
  );
  return names.filter((name) => !built.some((folder) => name.startsWith(folder)));
}
