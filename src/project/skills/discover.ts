import type { Files } from '../../ports.ts';
import { checkEmptyFolder } from '../empty-folder.ts';
import type { Finding } from '../finding.ts';
import { listFolder } from '../read.ts';
import { type Paths, SITE_NAME } from '../site-model.ts';
import { type Positions, positionAt } from '../yaml/position.ts';

/** The name of the main file in the folder of a skill. */
const MAIN = 'SKILL.md';

/** A skill and the paths of its files. */
export interface FoundSkill {
  /** The name of its file without `.md`, or of its folder. */
  readonly name: string;
  readonly file: string;
  /** The other files, by their path inside the skill's folder. */
  readonly others: readonly { readonly path: string; readonly file: string }[];
}

/** The skills of a project, ordered by path, and findings about their folder. */
interface DiscoveredSkills {
  readonly found: readonly FoundSkill[];
  readonly findings: readonly Finding[];
}

/** Searches `paths.skills` for skills: `<name>.md`, and `<name>/SKILL.md` with other files beside it. */
export async function discoverSkills(
  files: Files,
  paths: Paths,
  positions: Positions,
): Promise<DiscoveredSkills> {
  const { skills: folder } = paths;
  const position = positionAt(positions, ['paths', 'skills']);
  const listed = await listFolder(files, folder);
  if ('code' in listed) {
    const fix = 'Keep the folder inside the project, and give this user the right to read it.';
    const { message } = listed;
    const place = { file: SITE_NAME, ...position };
    return { found: [], findings: [{ severity: 'error', code: 'file-unreadable', ...place, message, fix }] };
  }
  const prefix = folder === '.' ? '' : `${folder}/`;
  const visible = listed.map((file) => file.slice(prefix.length)).filter(isVisible);
  const single = visible.filter((path) => !path.includes('/'));
  const folders = Map.groupBy(
    visible.filter((path) => path.includes('/')),
    (path) => path.slice(0, path.indexOf('/')),
  );
  const found = [
    ...single.flatMap((path) =>
      isSkillFile(path) ? [{ name: path.slice(0, -3), file: prefix + path, others: [] }] : [],
    ),
    ...[...folders].flatMap(([name, own]) => toFolderSkill(prefix, name, own) ?? []),
  ];
  const ofFolder = { key: 'skills', paths, position, noun: 'skill', sign: SIGN } as const;
  const findings = [
    ...single.flatMap((path) => (isSkillFile(path) || isReadme(path) ? [] : [astray(prefix + path)])),
    ...[...folders].flatMap(([name, own]) =>
      own.includes(`${name}/${MAIN}`) ? [] : [mainless(prefix, name, own)],
    ),
    ...(found.length === 0 ? await checkEmptyFolder(files, ofFolder) : []),
  ];
  return { found: found.toSorted((one, other) => (one.file < other.file ? -1 : 1)), findings };
}

/** Skips files and folders that begin with a dot, which editors and tools leave behind. */
/** The front matter of a skill. */
const SIGN = /^---\s*\n[\s\S]*?^description\s*:/m;

function isVisible(path: string): boolean {
  return !/(^|\/)\./.test(path);
}

function isSkillFile(path: string): boolean {
  return path.endsWith('.md') && !isReadme(path);
}

/** A README explains the folder to people. */
function isReadme(path: string): boolean {
  return /^readme\.\w+$/i.test(path);
}

function toFolderSkill(prefix: string, name: string, own: readonly string[]): FoundSkill | null {
  const main = `${name}/${MAIN}`;
  if (!own.includes(main)) return null;
  const others = own
    .filter((path) => path !== main)
    .map((path) => ({ path: path.slice(name.length + 1), file: prefix + path }));
  return { name, file: prefix + main, others };
}

function astray(file: string): Finding {
  return {
    severity: 'warning',
    code: 'skill-file',
    file,
    line: 0,
    column: 0,
    message: 'This file belongs to no skill, so no client reads it.',
    fix: 'Move it into the folder of a skill, beside its SKILL.md.',
  };
}

function mainless(prefix: string, name: string, own: readonly string[]): Finding {
  const near = own.find((path) => path.toLowerCase() === `${name}/${MAIN}`.toLowerCase());
  return {
    severity: 'error',
    code: 'skill-file',
    file: prefix + (near ?? own[0] ?? name),
    line: 0,
    column: 0,
    message: `The folder ${prefix}${name} has no ${MAIN}, so it is not a skill.`,
    fix:
      near === undefined
        ? `Add ${prefix}${name}/${MAIN}, or move the files out of ${prefix}.`
        : `Rename it to ${MAIN}, in capital letters.`,
  };
}
