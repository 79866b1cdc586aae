import type { Finding } from '../../project/finding.ts';
import { type Path, positionAt } from '../../project/yaml/position.ts';
import { suggestName } from '../../types/nearest.ts';
import { type Selected, toUserPath } from '../active.ts';
import { toKey } from '../effective/tree.ts';
import type { Settings, StaticClient } from '../model.ts';
import { isPrivateUse, isRegistrable, isUsable } from '../redirect-uri.ts';
import { PROVIDERS, type ProviderId, type ProviderRecord } from '../schema/providers.ts';
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
  if (block) return checkOrigins(block, at, provider);
  return [
    point(at, ['profile', 'auth', 'provider'], {
      code: 'missing-field',
      message: `is ${provider}, and there is no block \`${provider}\` beside it.`,
      fix: `Add \`${provider}\` with its client_id and client_secret, or choose none.`,
    }),
  ];
}

/** The addresses of a provider that a user file may change. */
interface WrittenUrls {
  readonly auth_url?: string | null | undefined;
  readonly token_url?: string | null | undefined;
}

/**
 * A provider's addresses must share one origin, because a code from one server is useless at another. With `auth_url` alone,
 * another server would get the code and the client secret.
 */
function checkOrigins(
  { auth_url, token_url }: WrittenUrls,
  at: Pointed,
  provider: ProviderId,
): readonly Finding[] {
  const { urls, severalOrigins = false }: ProviderRecord = PROVIDERS[provider];
  if (urls && auth_url && !token_url && toOrigin(auth_url) !== toOrigin(urls.auth_url)) {
    const other = toOrigin(urls.token_url);
    const problem = {
      code: 'missing-field',
      message: `is another server, and \`token_url\` is missing, so ${other} would get its codes and the client secret.`,
      fix: 'Set `token_url` too.',
    };
    return [point(at, ['profile', 'auth', provider, 'auth_url'], problem)];
  }
  const authorize = auth_url ?? urls?.auth_url;
  if (severalOrigins || !authorize || !token_url || toOrigin(authorize) === toOrigin(token_url)) return [];
  const problem = {
    code: 'origins-differ',
    message: `is at another address than ${auth_url ? '`auth_url` beside it' : `the sign-in page, ${authorize}`}.`,
    fix: 'Check that both belong to the same server.',
  };
  return [{ ...point(at, ['profile', 'auth', provider, 'token_url'], problem), severity: 'warning' }];
}

const toOrigin = (url: string) => new URL(url).origin;

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
      message: 'needs a client, and `client_id` is missing.',
      fix: 'Add `client_id` and `client_secret` beside it.',
    }),
  ];
}

function checkModels({ models }: Settings, at: Pointed): readonly Finding[] {
  const names = Object.keys(models.named);
  if (models.default === null || names.includes(models.default)) return [];
  return [
    point(at, ['models', 'default'], {
      code: 'model-unknown',
      message: `names none of the models${names.length > 0 ? `: ${names.join(', ')}` : ', and there are none'}.`,
      fix: suggestName(models.default, names, 'Add that model, or name another.'),
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

type ClientIssue = Pick<Finding, 'code' | 'message' | 'fix'> & {
  readonly path: readonly [keyof StaticClient, ...number[]];
};

/** Reports static clients that could never get a token (spec, "Static client fields"). */
export function checkClients({ auth: { clients } }: Settings, at: Pointed): readonly Finding[] {
  return clients.flatMap((client, index) =>
    problemsOf(client, index, clients).map(({ path, ...problem }) => ({
      ...point(at, ['profile', 'auth', 'clients', index, ...path], problem),
      severity: 'warning' as const,
    })),
  );
}

function problemsOf(
  client: StaticClient,
  index: number,
  all: readonly StaticClient[],
): readonly ClientIssue[] {
  const { client_id, client_secret, redirect_uris, grant_types } = client;
  const problems: ClientIssue[] = [];
  if (all.findIndex((other) => other.client_id === client_id) !== index) {
    const message = 'is also the id of an earlier client.';
    problems.push({ path: ['client_id'], code: 'duplicate-name', message, fix: 'Change one of them.' });
  }
  if (grant_types.includes('authorization_code') && redirect_uris.length === 0) {
    const message = 'is missing, so nobody can sign in with this client.';
    const fix = 'List its redirect addresses, or remove authorization_code from grant_types.';
    problems.push({ path: ['redirect_uris'], code: 'client-unusable', message, fix });
  }
  if (grant_types.includes('client_credentials') && client_secret === null) {
    const message = 'has client_credentials, which only a client with a secret may use.';
    problems.push({ path: ['grant_types'], code: 'client-unusable', message, fix: 'Add client_secret.' });
  }
  if (grant_types.length > 0 && grant_types.every((type) => type === 'refresh_token')) {
    const message = 'has refresh_token without authorization_code, so this client never gets a token.';
    problems.push({
      path: ['grant_types'],
      code: 'client-unusable',
      message,
      fix: 'Add authorization_code.',
    });
  }
  return [...problems, ...redirect_uris.flatMap(redirectIssues)];
}

function redirectIssues(uri: string, index: number): readonly ClientIssue[] {
  const fault = redirectFault(uri);
  if (fault === null) return [];
  const fix = 'Write the exact address that the client sends, such as https://app.example/callback.';
  return [{ path: ['redirect_uris', index], code: 'client-unusable', message: fault, fix }];
}

/** The reason why the server sends no browser to an address, or why no client names it; null if there is none. */
function redirectFault(uri: string): string | null {
  if (!isRegistrable(uri)) return 'is no plain address with a scheme and without a fragment.';
  if (uri.includes('*')) return 'has a `*`, which stands for itself: addresses are compared literally.';
  if (isUsable(uri) || isPrivateUse(uri)) return null;
  return /^https/i.test(uri)
    ? 'must begin with https:// in small letters.'
    : 'is http on another computer, where others can read the code.';
}

/** The keys of each type of store. Those in `needs` are required. */
const STORES = {
  sqlite: { needs: [], takes: ['path', 'auth_encryption_key'] },
  dynamodb: { needs: ['table'], takes: ['table', 'region', 'endpoint'] },
  d1: { needs: ['binding'], takes: ['binding'] },
} as const satisfies Record<string, { readonly needs: readonly string[]; readonly takes: readonly string[] }>;

/** Checks whether `auth.persistence` has the keys that its type needs, and no others. */
export function checkStore({ profile }: ParsedActive, at: Pointed): readonly Finding[] {
  const persistence = profile?.auth?.persistence;
  if (!persistence) return [];
  const type = persistence.type ?? 'sqlite';
  const { needs, takes }: { readonly needs: readonly string[]; readonly takes: readonly string[] } =
    STORES[type];
  const written = Object.entries(persistence).flatMap(([key, value]) =>
    key === 'type' || value === undefined || value === null ? [] : [key],
  );
  const missing = needs.filter((key) => !written.includes(key));
  const foreign = written.filter((key) => !takes.includes(key));
  return [
    ...missing.map((key) =>
      point(at, ['profile', 'auth', 'persistence', 'type'], {
        code: 'missing-field',
        message: `is ${type}, which needs \`${key}\`.`,
        fix: `Add \`${key}\`.`,
      }),
    ),
    ...foreign.map((key) =>
      point(at, ['profile', 'auth', 'persistence', key], {
        code: 'wrong-value',
        message: `has no meaning for a store of type ${type}.`,
        fix: `Remove it, or choose another \`type\`; ${type} takes ${takes.join(', ')}.`,
      }),
    ),
  ];
}
