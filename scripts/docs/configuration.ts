import { FLAGS } from '../../cli/project/settings.ts';
import { SITE_FILE } from '../../src/project/schema/site.ts';
import { loadSite } from '../../src/project/site.ts';
import { BLOCK_DEFAULTS, DEFAULTS } from '../../src/settings/effective/defaults.ts';
import { siteValues } from '../../src/settings/effective/site-values.ts';
import { USER_FILE } from '../../src/settings/schema/user.ts';
import { VARIABLES } from '../../src/settings/variables.ts';
import { keysOf, type SchemaKey } from './keys.ts';
import { SITE_MEANINGS, USER_MEANINGS } from './meanings.ts';

/** Where the page stands in the repository. */
export const CONFIGURATION_PAGE = 'docs/reference/configuration.md';

/** A key that nobody has described yet. */
export function undescribed(): readonly string[] {
  const missing = (keys: readonly SchemaKey[], meanings: Readonly<Record<string, string>>) =>
    keys.map(({ key }) => key).filter((key) => !Object.hasOwn(meanings, key));
  return [...missing(keysOf(SITE_FILE), SITE_MEANINGS), ...missing(keysOf(USER_FILE), USER_MEANINGS)];
}

/** Keys that are described and that no file has. */
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
    'In the root of the project, under version control. It holds no secrets and no references.\n',
    toTable(keysOf(SITE_FILE), SITE_MEANINGS, defaults),
    '\n## The user file: `~/.svc/config.yml`\n',
    'For one person or one machine, never under version control. Values marked * are never shown.\n',
    toTable(keysOf(USER_FILE), USER_MEANINGS, defaults),
    REFERENCES,
    '## Environment variables\n',
    toVariables(),
    '',
  ].join('\n');
}

const INTRODUCTION = `<!-- Written by \`npx node scripts/docs/write.ts\` from the schemas; do not edit. -->
# Configuration

A setting is taken from the strongest of these that has it: command-line flag, environment variable, user file, site
file, default. \`svc config\` shows every effective value and where it comes from; \`svc validate\` checks both files.
Unknown keys are errors. Only \`svc\`, \`project\` and \`profile\` of the site file are required.
`;

const REFERENCES = `
## References

Values of the user file may refer to something outside. References are looked up when the configuration is loaded, for the
profile in use only, all at the same time, each within 10 seconds; one that leads nowhere stops the load.

| form | stands for |
|---|---|
| \`\${NAME}\` | an environment variable, which must be set; also inside of text. \`\${NAME:-default}\` is refused, because it would hide that the variable is missing |
| \`vault://mount/path#field\` | a field of a secret of Vault, KV version 2 or 1; for a mount with several steps write the API path, as in \`vault://kv/team/data/app#key\` |
| \`op://vault/item/field\` | a field of 1Password, by names or ids; \`op://vault/item/section/field\` where names repeat; \`?attribute=otp\` for the one-time password |
| \`file://path\` | the text of a file without the space around it; relative to the working directory |

Variables inside of the other forms are filled in first: \`file://\${HOME}/token\`.
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
  const callbacks = ['github', 'atlassian', 'salesforce', 'google', 'keycloak', 'oidc'].map((provider) => [
    `auth.${provider}.callback_path`,
    callback_path,
  ]);
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
