import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SvcError } from '../src/errors.ts';
import { isObject } from '../src/json.ts';
import { decodeLoosely } from '../src/project/yaml/decode.ts';
import type { Path } from '../src/project/yaml/position.ts';
import { withoutComments } from '../src/project/yaml/yaml.ts';
import type { Selected } from '../src/settings/active.ts';
import { leavesOf, valueAt } from '../src/settings/effective/tree.ts';
import { checkLiteralSecrets } from '../src/settings/references/literal-secrets.ts';
import { type Callers, readCallers } from '../src/settings/sign-in.ts';
import { readUserFile, type UserFile } from '../src/settings/user-file.ts';
import { refuseBuild } from './compile-project.ts';

/**
 * Reads the user file for the artefact, without its comments; null if none was named. Throws if it contains a secret
 * (design, D15).
 */
export async function readConfig(path: string | undefined, root: string): Promise<string | null> {
  if (path === undefined) return null;
  const bytes = await readFile(resolve(root, path)).catch((cause) => {
    const fix = 'Name a user file with --config, or leave the option out.';
    throw new SvcError('usage', `The user file ${path} cannot be read. ${fix}`, { cause });
  });
  refuseBuild(checkLiteralSecrets(bytes, path).filter(({ severity }) => severity === 'error'));
  return toBundledText(bytes);
}

/** The text of a user file in an artefact. A comment may hold a secret that a reference has replaced. */
export function toBundledText(bytes: Uint8Array): string {
  return withoutComments(decodeLoosely(bytes));
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
