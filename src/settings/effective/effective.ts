import type { JsonObject, JsonValue } from '../../json.ts';
import { isRemote } from '../../project/attachment.ts';
import { DBT_DEFAULTS } from '../../project/site.ts';
import { FOLDERS, type SiteFile } from '../../project/site-model.ts';
import { type Path, positionAt } from '../../project/yaml/position.ts';
import type { YamlFile } from '../../project/yaml/yaml.ts';
import { REDACTED } from '../../redaction/hidden-texts.ts';
import { placeOf, type Selected, toEffectivePath } from '../active.ts';
import type { Origin, OriginKind, Override } from '../environment.ts';
import type { Resolved } from '../references/resolve.ts';
import { nodeAt } from '../schema/node.ts';
import { ACTIVE_USER } from '../schema/user.ts';
import type { UserFile } from '../user-file.ts';
import { DEFAULTS } from './defaults.ts';
import { leavesOf, toKey, valueAt } from './tree.ts';

/** One setting as `svc config` shows it: plain JSON without secrets. */
export type EffectiveValue = {
  readonly key: string;
  readonly value: JsonValue;
  readonly origin: OriginKind;
  /** The flag, the variable, or file and line that set the value; null for defaults. */
  readonly source: string | null;
};

/** The merged settings and their sources. */
interface EffectiveInput {
  readonly site: SiteFile;
  readonly siteFile: string | null;
  readonly siteYaml: YamlFile | null;
  readonly user: UserFile | null;
  readonly selected: Selected;
  readonly merged: { readonly tree: JsonObject };
  readonly overrides: readonly Override[];
  readonly tree: { readonly resolved: readonly Resolved[] };
}

/** Every effective value with its origin, by key. */
export function toEffective(parts: EffectiveInput): readonly EffectiveValue[] {
  const written = [...siteRows(parts), ...userRows(parts)];
  const free = parts.overrides.filter(({ key }) => !written.some((row) => isUnder(row.key, key)));
  const rows = [
    ...written,
    ...free.map(({ key, value, origin }) => toRow(key, toShownAddress(value), origin)),
  ];
  const defaults = Object.entries(DEFAULTS).filter(([key]) => !rows.some((row) => isUnder(row.key, key)));
  return [...rows, ...defaults.map(([key, value]) => toRow(key, value, DEFAULT))].toSorted((a, b) =>
    a.key < b.key ? -1 : 1,
  );
}

const DEFAULT: Origin = { kind: 'default', source: null };

function toRow(key: string, value: JsonValue, { kind, source }: Origin): EffectiveValue {
  return { key, value, origin: kind, source };
}

function isUnder(key: string, other: string): boolean {
  return key === other || key.startsWith(`${other}.`) || key.startsWith(`${other}[`);
}

function userRows(parts: EffectiveInput): readonly EffectiveValue[] {
  return leavesOf(parts.merged.tree)
    .filter(({ value }) => value !== null)
    .map(({ path, value }) => {
      const key = toKey(toEffectivePath(path));
      const override = parts.overrides.find((one) => isUnder(key, one.key));
      const resolved = override
        ? undefined
        : parts.tree.resolved.find((one) => toKey(one.path) === toKey(path));
      const shown = toShownValue(path, value, resolved?.reference ?? null);
      return toRow(key, shown, override?.origin ?? userOrigin(parts, path));
    });
}

function userOrigin({ user, selected }: EffectiveInput, path: Path): Origin {
  return user ? { kind: 'user-file', source: placeOf(user, path, selected) } : DEFAULT;
}

function siteRows(parts: EffectiveInput): readonly EffectiveValue[] {
  return siteValues(parts.site).flatMap(({ key, path, value }) => {
    const override = parts.overrides.find((one) => one.key === key);
    if (override) return [toRow(key, toShownAddress(override.value), override.origin)];
    return [toRow(key, value, siteOrigin(parts, path))];
  });
}

function siteOrigin({ siteYaml, siteFile }: EffectiveInput, path: Path): Origin {
  const written = siteYaml ? valueAt(siteYaml.value, path) : undefined;
  if (!siteYaml || written === undefined || written === null) return DEFAULT;
  const { line } = positionAt(siteYaml.positions, path);
  return { kind: 'site-file', source: `${siteFile ?? 'svc-site.yml'}:${line}` };
}

/** Kinds of values that cannot contain a secret. */
const PLAIN = ['number', 'boolean', 'choice'];

/** The displayable form of a value of the active part. A resolved value is shown as its reference. */
function toShownValue(path: Path, value: JsonValue, reference: string | null): JsonValue {
  const node = nodeAt(ACTIVE_USER, path);
  if (node === null || node.hidden) return reference === null ? REDACTED : `${REDACTED} ${reference}`;
  const type = node.kind === 'leaf' ? node.type : 'any';
  if (reference !== null) return PLAIN.includes(type) ? value : `${REDACTED} ${reference}`;
  return type === 'address' && typeof value === 'string' ? withoutCredentials(value) : value;
}

/** A value of the site file or a variable. Of an address, possible credentials are removed. */
function toShownAddress(value: JsonValue): JsonValue {
  return typeof value === 'string' && isRemote(value) ? withoutCredentials(value) : value;
}

/** Removes possible credentials from an address. */
function withoutCredentials(address: string): string {
  if (!URL.canParse(address)) return REDACTED;
  const url = new URL(address);
  const plain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (plain) return address;
  return `${url.protocol}//${url.host}${url.pathname} ${REDACTED}`;
}

/** A setting of the site file: its effective key, its path in the file, and its value with defaults. */
interface SiteValue {
  readonly key: string;
  readonly path: Path;
  readonly value: JsonValue;
}

/** Every setting of the site file, for the active profile. */
export function siteValues(site: SiteFile): readonly SiteValue[] {
  const same = (key: string, value: JsonValue): SiteValue => ({ key, path: key.split('.'), value });
  const own = (key: string, value: JsonValue): SiteValue => ({
    key,
    path: ['profiles', site.profile, ...key.split('.')],
    value,
  });
  return [
    same('project', site.project),
    same('profile', site.profile),
    own('database.path', site.database.path),
    own('database.readonly', site.database.readonly),
    own('database.engine', site.database.engine),
    own('database.isolation', site.database.isolation),
    ...(site.database.memoryLimit === null ? [] : [own('database.memory_limit', site.database.memoryLimit)]),
    own('database.sandbox', site.database.sandbox),
    ...(site.database.attach.length === 0 ? [] : [own('database.attach', site.database.attach.map(toPlain))]),
    ...(site.database.use === null ? [] : [own('database.use', site.database.use)]),
    ...(site.python.interpreter === null ? [] : [own('python.interpreter', site.python.interpreter)]),
    own('drift.path', site.drift.path),
    own('audit.enabled', site.audit.enabled),
    own('audit.path', site.audit.path),
    own('audit.max_file_size', site.audit.maxFileSize),
    own('audit.retention_days', site.audit.retentionDays),
    own('audit.on_error', site.audit.onError),
    own('audit.inputs', site.audit.inputs),
    own('audit.outputs', site.audit.outputs),
    ...FOLDERS.map((name) => same(`paths.${name}`, site.paths[name])),
    ...Object.entries(site.dbt ?? DBT_DEFAULTS).map(([key, value]) => same(`dbt.${key}`, value)),
    ...Object.entries(site.limits).map(([key, value]) => same(`limits.${key}`, value)),
    same('tool_search', site.toolSearch),
    ...(site.schemaProfile === null ? [] : [same('schema_profile', site.schemaProfile)]),
    same('sql_tools.enabled', site.sqlTools.enabled),
    same('sql_tools.attached', site.sqlTools.attached),
    ...(site.sqlTools.tables === null ? [] : [same('sql_tools.tables', site.sqlTools.tables.map(toPlain))]),
    ...Object.entries(site.sqlTools.descriptions).map(([name, text]) =>
      same(`sql_tools.${name}.description`, text),
    ),
    ...Object.entries(site.sqlTools.policies).flatMap(([name, { input, output }]) => [
      same(`sql_tools.${name}.policies.input`, input.map(toPlain)),
      same(`sql_tools.${name}.policies.output`, output.map(toPlain)),
    ]),
    { key: 'site.secrets', path: ['secrets'], value: site.secrets },
    { key: 'site.plugin', path: ['plugin'], value: site.plugins.map((plugin) => ({ ...plugin })) },
    same(
      'extensions',
      site.extensions.map(({ name, repo }) => ({
        name,
        ...(repo === undefined ? {} : { repo: toShownAddress(repo) }),
      })),
    ),
  ];
}

function toPlain<T extends object>(rule: T): { readonly [Key in keyof T]: T[Key] } {
  return { ...rule };
}
