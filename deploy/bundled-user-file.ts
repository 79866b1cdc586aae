import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { stringify } from 'yaml';
import { SvcError } from '../src/errors.ts';
import { isObject, type JsonObject } from '../src/json.ts';
import type { Finding } from '../src/project/finding.ts';
import { type Path, positionAt } from '../src/project/yaml/position.ts';
import { activePart, only, type Selected, toUserPath } from '../src/settings/active.ts';
import { leavesOf, toKey, valueAt } from '../src/settings/effective/tree.ts';
import { checkLiteralSecrets } from '../src/settings/references/literal-secrets.ts';
import { parseReferences } from '../src/settings/references/reference.ts';
import { type Callers, readCallers } from '../src/settings/sign-in.ts';
import { checkSelectedNames, readUserFile, type UserFile } from '../src/settings/user-file.ts';
import { refuseBuild } from './compile-project.ts';
import { TARGETS, type TargetEntry, type TargetName } from './targets/targets.ts';

/** The project and the profile of an artefact, and its platform. */
interface Built extends Selected {
  readonly target: TargetName;
}

/**
 * Reads the part of the user file that the artefact needs; null if no file was named. Throws if the file contains a
 * secret (design, D15), lacks the project or the profile, or refers to a file that the platform cannot have.
 */
export async function readConfig(
  path: string | undefined,
  root: string,
  built: Built,
): Promise<string | null> {
  if (path === undefined) return null;
  const bytes = await readFile(resolve(root, path)).catch((cause) => {
    const fix = 'Name a user file with --config, or leave the option out.';
    throw new SvcError('usage', `The user file ${path} cannot be read. ${fix}`, { cause });
  });
  refuseBuild(checkLiteralSecrets(bytes, path).filter(({ severity }) => severity === 'error'));
  const { user } = readUserFile(bytes, path);
  if (user !== null) refuseBuild(checkSelectedNames(user, built));
  const text = toBundledText(user, built);
  if (user !== null) refuseBuild(checkReferencedFiles(text, user, built));
  return text;
}

/** Reports `file://` references of the profile that never name a file on the platform, so that nothing would be served. */
function checkReferencedFiles(text: string, whole: UserFile, built: Built): readonly Finding[] {
  const { title, referencedFiles }: TargetEntry = TARGETS[built.target];
  if (referencedFiles === undefined) return [];
  const { user } = readUserFile(new TextEncoder().encode(text), whole.name);
  return leavesOf(activePart(user, built)).flatMap(({ path, value }) => {
    if (typeof value !== 'string' || parseReferences(value).kind !== 'reference') return [];
    if (!(referencedFiles === 'none' ? /^file:/ : /^file:\/\/(?![/$])/).test(value)) return [];
    const place = toUserPath(path, built);
    const reads = referencedFiles === 'none' ? 'has no files' : 'has files with an absolute path only';
    return [
      {
        severity: 'error' as const,
        code: 'reference-unresolved',
        file: whole.name,
        ...positionAt(whole.yaml.positions, place),
        message: `\`${toKey(place)}\` refers to a file, but ${title} ${reads}.`,
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference as people write it
        fix: 'Put the value into a variable: `${NAME}`.',
      },
    ];
  });
}

/**
 * The text of a user file in an artefact: what all projects share, and the project. SVC_PROFILE may select another
 * profile when a server starts; each person who has a bundle for desktop clients can read it, so it has one profile, and
 * no `transport`, because it is reached over stdio. Comments are left out, because one may hold a secret that a reference
 * has replaced.
 */
export function toBundledText(user: UserFile | null, { project, profile, target }: Built): string {
  if (!isObject(user?.yaml.value)) return '';
  const { projects, models, transport, ...shared } = user.yaml.value;
  const isHeld = TARGETS[target].callers === 'holder';
  const all = valueAt(projects, [project, 'profiles']);
  const profiles = isObject(all) && isHeld ? only(all, [profile]) : all;
  const bundled = {
    ...shared,
    ...(transport === undefined || isHeld ? {} : { transport }),
    ...(isObject(models) ? { models: withoutAccess(models) } : {}),
    ...(profiles === undefined ? {} : { projects: { [project]: { profiles } } }),
  };
  return stringify(bundled, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** The keys of a model that Python functions can read. */
const MODEL_KEYS = ['type', 'timeout', 'max_retries'];

/** Returns the models without their keys and addresses: servers call no model, so they must not need these to start. */
function withoutAccess(models: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(models).map(([name, value]) => {
      if (!isObject(value)) return [name, value];
      return [name, name === 'models' ? withoutAccess(value) : only(value, MODEL_KEYS)];
    }),
  );
}

/** Reads the callers of a profile from the user file of an artefact. */
export function callersOf(config: string | null, selected: Selected): Callers {
  if (config === null) return { signIn: null, public: false };
  return readCallers(readUserFile(new TextEncoder().encode(config), 'config.yml').user, selected);
}

/** Whether any profile of a user file has sign-in. */
export function configNeedsSignIn(config: string): boolean {
  const { user } = readUserFile(new TextEncoder().encode(config), 'config.yml');
  return profilesOf(user).some((selected) => readCallers(user, selected).signIn !== null);
}

function profilesOf(user: UserFile | null): readonly Selected[] {
  const keysOf = (path: Path) => {
    const found = valueAt(user?.yaml.value, path);
    return isObject(found) ? Object.keys(found) : [];
  };
  return keysOf(['projects']).flatMap((project) =>
    keysOf(['projects', project, 'profiles']).map((profile) => ({ project, profile })),
  );
}

/** Whether any profile of a user file has a `telemetry` block. The environment may switch on a block that is off. */
export function namesTelemetry(config: string): boolean {
  const { user } = readUserFile(new TextEncoder().encode(config), 'config.yml');
  return leavesOf(user?.yaml.value ?? null).some(
    ({ path }) => path[0] === 'projects' && path[4] === 'telemetry',
  );
}
