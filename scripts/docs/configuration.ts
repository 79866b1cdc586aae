import { FLAGS } from '../../cli/project/settings.ts';
import { SITE_FILE } from '../../src/project/schema/site.ts';
import { loadSite } from '../../src/project/site.ts';
import { BLOCK_DEFAULTS, DEFAULTS } from '../../src/settings/effective/defaults.ts';
import { siteValues } from '../../src/settings/effective/effective.ts';
import { PROVIDER_IDS } from '../../src/settings/schema/providers.ts';
import { USER_FILE } from '../../src/settings/schema/user.ts';
import { VARIABLES } from '../../src/settings/variables.ts';
import { keysOf, type SchemaKey } from './keys.ts';
import { SITE_MEANINGS, USER_MEANINGS } from './meanings.ts';

/** The path of the page in the repository. */
export const CONFIGURATION_PAGE = 'docs/reference/configuration.md';

/** Keys of the schemas that have no description. */
export function undescribed(): readonly string[] {
  const missing = (keys: readonly SchemaKey[], meanings: Readonly<Record<string, string>>) =>
    keys.map(({ key }) => key).filter((key) => !Object.hasOwn(meanings, key));
  return [...missing(keysOf(SITE_FILE), SITE_MEANINGS), ...missing(keysOf(USER_FILE), USER_MEANINGS)];
}

/** Described keys that no schema has. */
export function outdated(): readonly string[] {
  const known = [...keysOf(SITE_FILE), ...keysOf(USER_FILE)].map(({ key }) => key);
  return Object.keys({ ...SITE_MEANINGS, ...USER_MEANINGS }).filter((key) => !known.includes(key));
}

/** `docs/reference/configuration.md`, from the schemas. */
export async function toConfigurationPage(): Promise<string> {
  const defaults = { ...(await siteDefaults()), ...userDefaults() };
  return [
    INTRODUCTION,
    '## The site file: `svc-site.yml`\n',
    'The site file is in the root of the project and under version control. It holds no secrets and no references.\n',
    toTable(keysOf(SITE_FILE), SITE_MEANINGS, defaults),
    '\n## The user file: `~/.svc/config.yml`\n',
    'The user file belongs to one user or one machine and is never under version control. `svc` never shows values marked *.\n',
    toTable(keysOf(USER_FILE), USER_MEANINGS, defaults),
    REFERENCES,
    '## Environment variables\n',
    toVariables(),
    '',
  ].join('\n');
}

const INTRODUCTION = `<!-- Written by \`npx node scripts/docs/write.ts\` from the schemas; do not edit. -->
# Configuration

A setting takes its value from the first of these that has it: command-line flag, environment variable, user file, site
file, default. \`svc config\` shows every effective value and its origin. \`svc validate\` checks both files. Unknown keys
are errors. The only required keys are \`svc\`, \`project\` and \`profile\` of the site file.
`;

const REFERENCES = `
## References

Values of the user file may contain references. \`svc\` resolves them when it loads the configuration, for the active profile
only. It resolves all of them at the same time, each within 10 seconds. A reference that cannot be resolved stops the load.

| form | value |
|---|---|
| \`\${NAME}\` | an environment variable, which must be set; also allowed inside a text |
| \`vault://mount/path#field\` | a field of a Vault secret, KV version 2 or 1; for a mount with several segments, write the API path, as in \`vault://kv/team/data/app#key\` |
| \`op://vault/item/field\` | a 1Password field, by names or ids; use \`op://vault/item/section/field\` if names repeat, and \`?attribute=otp\` for the one-time password |
| \`file://path\` | the content of a file without surrounding whitespace; the path is relative to the working directory |

Variables inside the other forms are replaced first: \`file://\${HOME}/token\`. \`\${NAME:-default}\` is an error, because it
would hide a missing variable.
`;

type Defaults = Readonly<Record<string, unknown>>;

function toTable(
  keys: readonly SchemaKey[],
  meanings: Readonly<Record<string, string>>,
  defaults: Defaults,
): string {
  const rows = keys.map(({ key, type, hidden }) => {
    const effective = toEffectiveKey(key);
    const outside = [...variablesOf(effective), ...flagsOf(effective)]
      .map((name) => `\`${name}\``)
      .join(', ');
    const value = defaults[effective];
    const shown =
      value === undefined ? '' : `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
    return `| \`${key}\`${hidden ? ' *' : ''} | ${type} | ${shown} | ${outside} | ${meanings[key] ?? ''} |`;
  });
  return ['| key | type | default | environment, flag | meaning |', '|---|---|---|---|---|', ...rows].join(
    '\n',
  );
}

function variablesOf(key: string): readonly string[] {
  return VARIABLES.filter((variable) => variable.key === key).map(({ name }) => name);
}

function flagsOf(key: string): readonly string[] {
  return FLAGS.filter((flag) => flag.key === key).map(({ flag }) => flag);
}

/** The key as `svc config` shows it. */
function toEffectiveKey(key: string): string {
  return key
    .replace(/^projects\.<project>\.profiles\.<profile>\.|^profiles\.<profile>\./, '')
    .replace(/^(telemetry\.(headers|resource_attributes))\.<name>$/, '$1')
    .replace(/\[\]$/, '');
}

async function siteDefaults(): Promise<Defaults> {
  const text = 'svc: 1\nproject: PROJECT\nprofile: PROFILE\ndbt: {}\n';
  const read = async () => new TextEncoder().encode(text);
  const { site } = await loadSite({ list: async () => [], read });
  const values = site
    ? siteValues(site).filter(({ path }) => !['project', 'profile'].includes(String(path)))
    : [];
  const shown = values.map(({ key, value }) => [
    key,
    typeof value === 'string' ? value.replaceAll('PROFILE', '{profile}') : value,
  ]);
  return Object.fromEntries(shown);
}

function userDefaults(): Defaults {
  const { callback_path, grant_types, scopes, persistence_path } = BLOCK_DEFAULTS;
  const callbacks = PROVIDER_IDS.map((provider) => [`auth.${provider}.callback_path`, callback_path]);
  return {
    ...DEFAULTS,
    ...Object.fromEntries(callbacks),
    'auth.clients[].grant_types': grant_types,
    'auth.clients[].scopes': scopes,
    'auth.persistence.type': 'sqlite',
    'auth.persistence.path': persistence_path,
  };
}

function toVariables(): string {
  const rows = VARIABLES.map(({ name, key, meaning, default: own, type }) => {
    const value = own ?? (key !== null && key in DEFAULTS ? DEFAULTS[key as keyof typeof DEFAULTS] : '');
    const form = typeof type === 'string' ? type : type.map((word) => `\`${word}\``).join(', ');
    const flag = key === null ? [] : flagsOf(key);
    const setting = [key ?? '', ...flag].filter((one) => one !== '').map((one) => `\`${one}\``);
    return `| \`${name}\` | ${form} | ${value} | ${setting.join(', ')} | ${meaning} |`;
  });
  return ['| variable | type | default | setting, flag | meaning |', '|---|---|---|---|---|', ...rows].join(
    '\n',
  );
}
