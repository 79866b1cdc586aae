import { isObject, type JsonObject } from '../json.ts';
import { type Path, positionAt } from '../project/yaml/position.ts';
import { valueAt } from './effective/tree.ts';
import type { UserFile } from './user-file.ts';

/* Apart from `user-file.ts`, which parses YAML: artefacts without a user file have no YAML parser. */

/** The project and the profile of some settings. */
export interface Selected {
  readonly project: string;
  readonly profile: string;
}

/** The part of the user file that concerns one profile: the profile's block as `profile`, and everything but `projects`. */
export function activePart(user: UserFile | null, { project, profile }: Selected): JsonObject {
  if (user === null || !isObject(user.yaml.value)) return {};
  const { projects, svc: _version, ...shared } = user.yaml.value;
  const own = valueAt(projects, [project, 'profiles', profile]);
  return isObject(own) ? { ...shared, profile: own } : shared;
}

/** Converts a path of the active part to a path of the user file. */
export function toUserPath(path: Path, { project, profile }: Selected): Path {
  return path[0] === 'profile' ? ['projects', project, 'profiles', profile, ...path.slice(1)] : path;
}

/** Converts a path of the active part to an effective key path: keys of the profile lose the prefix `profile`. */
export function toEffectivePath(path: Path): Path {
  return path[0] === 'profile' ? path.slice(1) : path;
}

const PROFILE_BLOCKS = ['secrets', 'plugin', 'auth', 'telemetry'];

/** Converts an effective key such as `telemetry.enabled` to a path of the active part. */
export function fromEffectiveKey(key: string): readonly string[] {
  const steps = key.split('.');
  return PROFILE_BLOCKS.includes(steps[0] ?? '') ? ['profile', ...steps] : steps;
}

/** The position of a path of the active part, as `file:line`. */
export function placeOf(user: UserFile, path: Path, selected: Selected): string {
  const { line } = positionAt(user.yaml.positions, toUserPath(path, selected));
  return `${user.name}:${line}`;
}

/** Picks some blocks of the active part. */
export function only(tree: JsonObject, keys: readonly string[]): JsonObject {
  const entries = Object.entries(tree).filter(([key]) => keys.includes(key));
  return Object.fromEntries(entries);
}
