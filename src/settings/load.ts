import type { SecretSource } from '../ports.ts';
import type { Finding } from '../project/finding.ts';
import type { SiteFile } from '../project/site-model.ts';
import { type Path, positionAt, toPointer } from '../project/yaml/position.ts';
import { parseYaml, type YamlFile } from '../project/yaml/yaml.ts';
import { activePart, only, type Selected, toUserPath } from './active.ts';
import { checkAccess } from './checks/access.ts';
import { checkSecrets } from './checks/secrets.ts';
import { checkClients, checkSettings, checkStore, type Pointed, point } from './checks/settings.ts';
import { type EffectiveValue, toEffective } from './effective/effective.ts';
import { type Merged, mergeLayers } from './effective/merge.ts';
import { toSettings } from './effective/to-settings.ts';
import { valueAt, withValue } from './effective/tree.ts';
import { type Environment, type Override, readEnvironment } from './environment.ts';
import type { Settings } from './model.ts';
import { type Connections, toConnections } from './references/connections.ts';
import { type ResolvedTree, resolveTree, type Unresolved } from './references/resolve.ts';
import { readCallers } from './sign-in.ts';
import { checkSelectedNames, type ReadUserFile, readUserFile, type UserFile } from './user-file.ts';

/** The sources of a profile's settings. */
export interface SettingsInput {
  readonly site: SiteFile;
  /** The parsed site file and its text, which gives positions. */
  readonly siteFile: { readonly name: string; readonly text: string } | null;
  /** The user file; null if there is none. */
  readonly userFile: { readonly name: string; readonly bytes: Uint8Array } | null;
  /** The user file as it is at a reload, which takes its API keys only. Absent at the start. */
  readonly latest?: SettingsInput['userFile'];
  readonly env: Environment;
  readonly flags: readonly Override[];
  /** Opens the source of references once the connections are known. */
  readonly openSource: (connections: Connections) => SecretSource;
  /** The time limit of one reference, in milliseconds. */
  readonly timeoutMs?: number;
}

/** The settings, or null if there are errors, with every finding and every effective value. */
export interface LoadedSettings {
  readonly settings: Settings | null;
  readonly findings: readonly Finding[];
  /** Every value and its origin, with secrets redacted. Empty if there are errors. */
  readonly effective: readonly EffectiveValue[];
  /** The file of further findings about the settings. */
  readonly at: Pointed;
}

const TIMEOUT_MS = 10_000;

/** Combines flags, environment, user file, site file and defaults, and resolves the profile's references. */
export async function loadSettings(input: SettingsInput): Promise<LoadedSettings> {
  const { site, userFile, flags } = input;
  const environment = readEnvironment(input.env);
  const selected = { project: site.project, profile: site.profile };
  const read = readFiles(input, selected);
  const early = [...environment.findings, ...read.findings];
  const at = { user: read.user, selected };
  if (userFile && read.user === null) return failed(early, at);
  const names = read.user ? checkSelectedNames(read.user, selected) : [];
  if (names.length > 0) return failed([...early, ...names], at);
  const overrides = withLevel(lastOfEachKey([...environment.overrides, ...flags]));
  const { tree, unresolved } = await resolveActive(read.user, selected, input);
  if (unresolved.length > 0) return failed([...early, ...unresolved.map((one) => toFinding(one, at))], at);
  const merged = mergeLayers({ user: read.user, selected, ...tree, overrides });
  return finish(input, { ...at, merged, overrides, tree, early });
}

/** Reads the user file, with the API keys of the latest one at a reload. */
function readFiles({ userFile, latest }: SettingsInput, selected: Selected): ReadUserFile {
  if (userFile === null) return { user: null, findings: [] };
  const first = readUserFile(userFile.bytes, userFile.name);
  if (first.user === null || latest === undefined) return first;
  // On a server that started without sign-in, keys count after a restart.
  if (readCallers(first.user, selected).signIn === null) return first;
  const again = latest === null ? null : readUserFile(latest.bytes, latest.name);
  if (again !== null && again.user === null) return again;
  return { user: withLatestKeys(first.user, again?.user ?? null, selected), findings: first.findings };
}

const API_KEYS: Path = ['profile', 'auth', 'api_keys'];

/**
 * Returns the user file of the server's start with the API keys that the file has now, so that a reload can revoke
 * keys. The rest of the file is not read again (spec, "What a reload re-reads"). A missing file counts as one without keys.
 */
function withLatestKeys(user: UserFile, latest: UserFile | null, selected: Selected): UserFile {
  const path = toUserPath(API_KEYS, selected);
  const keys = valueAt(latest?.yaml.value, path) ?? [];
  const pointer = toPointer(path);
  const isKey = ([at]: readonly [string, unknown]) => at === pointer || at.startsWith(`${pointer}/`);
  const others = Object.entries(user.yaml.positions).filter((entry) => !isKey(entry));
  const own = Object.entries(latest?.yaml.positions ?? {}).filter(isKey);
  const positions = Object.fromEntries([...others, ...own]);
  const value = withValue(user.yaml.value, path.map(String), keys);
  return { ...user, yaml: { ...user.yaml, value, positions } };
}

function failed(findings: readonly Finding[], at: Pointed): LoadedSettings {
  return { settings: null, findings, effective: [], at };
}

/** A flag replaces a variable, and SVC_LOG replaces SVC_LOG_FORMAT. */
function lastOfEachKey(overrides: readonly Override[]): readonly Override[] {
  return [...new Map(overrides.map((override) => [override.key, override])).values()];
}

/** Sets the level to DEBUG if `debug` is on, regardless of `logging.level`. */
function withLevel(overrides: readonly Override[]): readonly Override[] {
  const debug = overrides.find(({ key, value }) => key === 'debug' && value === true);
  if (debug === undefined) return overrides;
  return lastOfEachKey([...overrides, { key: 'logging.level', value: 'DEBUG', origin: debug.origin }]);
}

/** Resolves the connections first, because they determine how other references are looked up. */
async function resolveActive(user: UserFile | null, selected: Selected, input: SettingsInput) {
  const tree = activePart(user, selected);
  const { env, openSource, timeoutMs = TIMEOUT_MS } = input;
  const keys = ['vault', 'onepassword'];
  const own = await resolveTree(only(tree, keys), { source: openSource(toConnections({}, env)), timeoutMs });
  const source = openSource(toConnections(own.value, env));
  const others = Object.keys(tree).filter((key) => !keys.includes(key));
  const rest = await resolveTree(only(tree, others), { source, timeoutMs });
  const value = { ...own.value, ...rest.value };
  const resolved = [...own.resolved, ...rest.resolved];
  return { tree: { value, resolved }, unresolved: [...own.unresolved, ...rest.unresolved] };
}

function toFinding({ path, reference, reason, fix }: Unresolved, at: Pointed): Finding {
  const known = reference === '${…}' ? '' : `is ${reference}, which `;
  return point(at, path, { code: 'reference-unresolved', message: `${known}${reason}`, fix });
}

interface Finishing {
  readonly user: UserFile | null;
  readonly selected: Selected;
  readonly merged: Merged;
  readonly overrides: readonly Override[];
  readonly tree: Pick<ResolvedTree, 'resolved'>;
  readonly early: readonly Finding[];
}

function finish(input: SettingsInput, parts: Finishing): LoadedSettings {
  const { site } = input;
  const { merged, overrides, early } = parts;
  if (merged.active === null) return failed([...early, ...merged.findings], parts);
  const settings = toSettings({ site, active: merged.active, overrides });
  const siteYaml = yamlOf(input.siteFile);
  const place = {
    file: input.siteFile?.name ?? 'svc-site.yml',
    position: (path: readonly (string | number)[]) => positionAt(siteYaml?.positions ?? {}, path),
  };
  const findings = [
    ...early,
    ...checkSettings(settings, merged.active, parts),
    ...checkAccess(settings, parts),
    ...checkClients(settings, parts),
    ...checkStore(merged.active, parts),
    ...checkSecrets(site, settings, { ...parts, place }),
  ];
  const effective = toEffective({ site, siteFile: input.siteFile?.name ?? null, siteYaml, ...parts });
  const sound = findings.every(({ severity }) => severity !== 'error');
  const at = { user: parts.user, selected: parts.selected };
  return { settings: sound ? settings : null, findings, effective, at };
}

function yamlOf(siteFile: SettingsInput['siteFile']): YamlFile | null {
  const parsed = siteFile && parseYaml(siteFile.text);
  return parsed && 'yaml' in parsed ? parsed.yaml : null;
}
