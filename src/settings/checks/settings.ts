import type { Finding } from '../../project/finding.ts';
import type { SiteFile } from '../../project/site-model.ts';
import { type Path, positionAt } from '../../project/yaml/position.ts';
import { nearestName } from '../../types/nearest.ts';
import { type Selected, toUserPath } from '../active.ts';
import { toKey } from '../effective/tree.ts';
import type { Settings } from '../model.ts';
import { PROVIDERS, type ProviderRecord } from '../schema/providers.ts';
import type { ParsedActive } from '../schema/user.ts';
import type { UserFile } from '../user-file.ts';

/** The target of a finding: a path of the active part, in the user file. */
export interface Pointed {
  readonly user: UserFile | null;
  readonly selected: Selected;
}

/** Checks whether the parts of the settings fit together. */
export function checkSettings(settings: Settings, active: ParsedActive, at: Pointed): readonly Finding[] {
  return [...checkProvider(active, at), ...checkModels(settings, at), ...checkSecretNames(settings, at)];
}

function checkProvider({ profile }: ParsedActive, at: Pointed): readonly Finding[] {
  if (profile?.auth?.mode === 'verifier') return checkVerifier({ profile }, at);
  const provider = profile?.auth?.provider ?? 'none';
  if (provider === 'none') return [];
  const block = profile?.auth?.[provider];
  const { severalOrigins }: ProviderRecord = PROVIDERS[provider];
  if (block) return severalOrigins ? [] : checkOrigins(block, at, provider);
  return [
    point(at, ['profile', 'auth', 'provider'], {
      code: 'missing-field',
      message: `is ${provider}, and there is no block \`${provider}\` beside it.`,
      fix: `Add \`${provider}\` with its client_id and client_secret, or choose none.`,
    }),
  ];
}

/** A provider's addresses must share one origin, because a code from one server is useless at another. */
function checkOrigins(
  {
    auth_url,
    token_url,
  }: { readonly auth_url?: string | null | undefined; readonly token_url?: string | null | undefined },
  at: Pointed,
  provider: string,
): readonly Finding[] {
  if (!auth_url || !token_url || new URL(auth_url).origin === new URL(token_url).origin) return [];
  const problem = {
    code: 'origins-differ',
    message: 'is at another address than `auth_url` beside it.',
    fix: 'Check that both belong to the same server.',
  };
  return [{ ...point(at, ['profile', 'auth', provider, 'token_url'], problem), severity: 'warning' }];
}

function checkVerifier({ profile }: Pick<ParsedActive, 'profile'>, at: Pointed): readonly Finding[] {
  const verifier = profile?.auth?.verifier;
  if (!verifier && profile?.auth?.oidc) return [];
  if (!verifier) {
    return [
      point(at, ['profile', 'auth', 'mode'], {
        code: 'missing-field',
        message: 'is verifier, and there is no block `verifier` beside it.',
        fix: 'Add `verifier` with the issuer of the tokens, or choose issuer.',
      }),
    ];
  }
  if (!verifier.introspection_url || verifier.client_id) return [];
  return [
    point(at, ['profile', 'auth', 'verifier', 'introspection_url'], {
      code: 'missing-field',
      message: 'is there, and the client that may ask is not.',
      fix: 'Add `client_id` and `client_secret` beside it.',
    }),
  ];
}

function checkModels({ models }: Settings, at: Pointed): readonly Finding[] {
  const names = Object.keys(models.named);
  if (models.default === null || names.includes(models.default)) return [];
  const near = nearestName(models.default, names);
  return [
    point(at, ['models', 'default'], {
      code: 'model-unknown',
      message: `names none of the models${names.length > 0 ? `: ${names.join(', ')}` : ', and there are none'}.`,
      fix: near === null ? 'Add that model, or name another.' : `Did you mean ${near}?`,
    }),
  ];
}

function checkSecretNames({ secrets }: Settings, at: Pointed): readonly Finding[] {
  return secrets.flatMap(({ name }, index) =>
    secrets.findIndex((other) => other.name === name) === index
      ? []
      : [
          point(at, ['profile', 'secrets', index, 'name'], {
            code: 'duplicate-name',
            message: `is ${name}, and another secret of the profile has that name.`,
            fix: 'Rename one of them, or remove it.',
          }),
        ],
  );
}

/** Reports secrets that the site file names and the user file lacks. */
export function checkSiteSecrets(site: SiteFile, settings: Settings, at: SitePlace): readonly Finding[] {
  const known = settings.secrets.map(({ name }) => name);
  return site.secrets.flatMap((name, index) => {
    if (known.includes(name)) return [];
    const near = nearestName(name, known);
    return [
      {
        severity: 'error' as const,
        code: 'secret-undefined',
        file: at.file,
        ...at.position(['secrets', index]),
        message: `The secret ${name} is not defined for profile ${site.profile} of project ${site.project}.`,
        fix:
          near === null
            ? `Define it in the user file under projects.${site.project}.profiles.${site.profile}.secrets.`
            : `Did you mean ${near}?`,
      },
    ];
  });
}

/** Positions in the site file. */
export interface SitePlace {
  readonly file: string;
  readonly position: (path: Path) => { readonly line: number; readonly column: number };
}

/** Makes an error at a path of the active part. */
export function point(
  { user, selected }: Pointed,
  path: Path,
  { code, message, fix }: Pick<Finding, 'code' | 'message' | 'fix'>,
): Finding {
  const own = toUserPath(path, selected);
  const { line, column } = user ? positionAt(user.yaml.positions, own) : { line: 0, column: 0 };
  const file = user?.name ?? 'environment';
  return { severity: 'error', code, file, line, column, message: `\`${toKey(own)}\` ${message}`, fix };
}
