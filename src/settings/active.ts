import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { type Path, positionAt } from '../project/yaml/position.ts';
import { valueAt } from './effective/tree.ts';
import type { UserFile } from './user-file.ts';

/** Which project and profile settings are for. */
export interface Selected {
  readonly project: string;
  readonly profile: string;
}

/** What of the user file concerns one profile: `profile`, and everything but `projects`. */
export function activePart(user: UserFile | null, { project, profile }: Selected): JsonObject {
  if (user === null || !isObject(user.yaml.value)) return {};
  const { projects, svc: _version, ...shared } = user.yaml.value;
  const own = valueAt(projects, [project, 'profiles', profile]);
  return isObject(own) ? { ...shared, profile: own } : shared;
}

/** A path of the active part, as the user file has it. */
export function toUserPath(path: Path, { project, profile }: Selected): Path {
  return path[0] === 'profile' ? ['projects', project, 'profiles', profile, ...path.slice(1)] : path;
}

/** The effective key of a path of the active part: keys of the profile stand by themselves. */
export function toEffectivePath(path: Path): Path {
  return path[0] === 'profile' ? path.slice(1) : path;
}

const PROFILE_BLOCKS = ['secrets', 'plugin', 'auth', 'telemetry'];

/** The path of the active part that an effective key such as `telemetry.enabled` stands for. */
export function fromEffectiveKey(key: string): readonly string[] {
  const steps = key.split('.');
  return PROFILE_BLOCKS.includes(steps[0] ?? '') ? ['profile', ...steps] : steps;
}

/** The place of a path of the active part, as `file:line`. */
export function placeOf(user: UserFile, path: Path, selected: Selected): string {
  const { line } = positionAt(user.yaml.positions, toUserPath(path, selected));
  return `${user.name}:${line}`;
}

/** Some blocks of the active part. */
export function only(tree: JsonObject, keys: readonly string[]): JsonObject {
  const entries = Object.entries(tree).filter(([key]) => keys.includes(key));
  return Object.fromEntries(entries) as { readonly [key: string]: JsonValue };
}
