import { byPlace, type Finding } from '../../project/finding.ts';
import type { Endpoint, EndpointFile } from '../../project/model.ts';
import { positionAt } from '../../project/yaml/position.ts';
import {
  type AccessIssue,
  accountsOf,
  clientsHolding,
  toAuthFindings,
} from '../../settings/checks/access.ts';
import { isExpired, keysHolding, unusedScopeIssues } from '../../settings/checks/api-keys.ts';
import type { Pointed } from '../../settings/checks/settings.ts';
import type { ApiKey, AuthSettings, Members } from '../../settings/model.ts';
import { signInOf } from '../../settings/sign-in.ts';

/** The people who may use the server, and the holders of each scope, in words. */
export type WhoMay = {
  readonly allowed: string;
  readonly api_keys: readonly KeyHolder[];
  readonly scopes: readonly ScopeHolders[];
};

/** A machine with an API key. */
type KeyHolder = {
  readonly name: string;
  readonly user_id: string;
  readonly scopes: readonly string[];
  /** The end of the key (ISO 8601); null if it has none. */
  readonly expires: string | null;
  readonly expired: boolean;
};

/** The holders of a scope, and the endpoints that require it. */
type ScopeHolders = {
  readonly scope: string;
  /** Empty if nobody holds the scope. */
  readonly held_by: readonly string[];
  /** Names such as `tool/sales`; `every endpoint` for a scope that all users must hold. */
  readonly needed_by: readonly string[];
};

/** Describes the people who may use the server and the holders of each scope; null without sign-in. */
export function toWhoMay(auth: AuthSettings, endpoints: readonly Endpoint[]): WhoMay | null {
  if (signInOf(auth) === null) return null;
  const accounts = accountsOf(auth) ?? 'nobody: the server accepts API keys only';
  const needed = endpoints.flatMap(({ scopes }) => scopes);
  const granted = auth.grants.map(({ scope }) => scope);
  const carried = (auth.api_keys ?? []).flatMap((key) => key.scopes);
  const scopes = [...new Set(['svc:access', ...auth.required_scopes, ...needed, ...granted, ...carried])];
  return {
    allowed: auth.allow === null ? accounts : membersText(auth.allow),
    api_keys: (auth.api_keys ?? []).map(toKeyHolder),
    scopes: scopes.map((scope) => ({
      scope,
      held_by: holdersOf(auth, scope),
      needed_by: auth.required_scopes.includes(scope)
        ? ['every endpoint']
        : endpoints.filter((one) => one.scopes.includes(scope)).map(({ kind, name }) => `${kind}/${name}`),
    })),
  };
}

/**
 * Describes a machine in one line.
 *
 * @example nightly calls as robot-1 with svc:access sales:read, until 2027-01-31T00:00:00.000Z
 */
export function toKeyText({ name, user_id, scopes, expires, expired }: KeyHolder): string {
  const end = expires === null ? 'without an end' : `${expired ? 'expired at' : 'until'} ${expires}`;
  return `${name} calls as ${user_id} with ${scopes.join(' ')}, ${end}`;
}

function toKeyHolder(key: ApiKey): KeyHolder {
  const { name, user, scopes, expires } = key;
  return {
    name,
    user_id: user.id,
    scopes: [...new Set(['svc:access', ...scopes])],
    expires: expires === null ? null : new Date(expires).toISOString(),
    expired: isExpired(key, Date.now()),
  };
}

/** Warns about scopes that endpoints require and that no user, client or API key can hold. */
export function checkHolders(files: readonly EndpointFile[], auth: AuthSettings): readonly Finding[] {
  if (signInOf(auth) === null) return [];
  return files
    .flatMap(({ file, endpoint, positions }) =>
      (endpoint?.enabled ? endpoint.scopes : []).flatMap((scope, index) =>
        holdersOf(auth, scope).length > 0
          ? []
          : {
              severity: 'warning' as const,
              code: 'scope-unheld',
              file,
              ...positionAt(positions, [endpoint?.kind ?? '', 'scopes', index]),
              message: `Nobody holds the scope ${scope}, so every call of ${endpoint?.name} is denied.`,
              fix: 'Add an entry for it to `auth.grants`, or the scope to an entry of `auth.api_keys`, in the user file.',
            },
      ),
    )
    .toSorted(byPlace);
}

/** Warns about scopes that nobody holds, and scopes of API keys that no endpoint needs. */
export function checkSignIn(
  files: readonly EndpointFile[],
  auth: AuthSettings,
  at: Pointed,
): readonly Finding[] {
  return [...checkHolders(files, auth), ...toAuthFindings(unusedKeyScopes(files, auth), at)];
}

/** Warns about scopes of API keys that no endpoint needs; the paths are below `auth`. */
export function unusedKeyScopes(files: readonly EndpointFile[], auth: AuthSettings): readonly AccessIssue[] {
  return unusedScopeIssues(
    auth,
    files.flatMap(({ endpoint }) => endpoint?.scopes ?? []),
  );
}

function holdersOf(auth: AuthSettings, scope: string): readonly string[] {
  const people =
    scope === 'svc:access' && accountsOf(auth) !== null
      ? ['everybody who may use the server']
      : auth.grants.filter((grant) => grant.scope === scope).map(({ to }) => membersText(to));
  const clients = clientsHolding(auth, scope).map(({ client_id }) => `client ${client_id}`);
  return [
    ...people,
    ...clients,
    ...keysHolding(auth, scope, Date.now()).map(({ name }) => `API key ${name}`),
  ];
}

/**
 * Lists the people of a rule.
 *
 * @example group acme/admins, ada@example.com
 */
function membersText({ emails, domains, groups, organizations, claims }: Members): string {
  const all = [
    ...organizations.map((name) => `organization ${name}`),
    ...groups.map((name) => `group ${name}`),
    ...domains.map((domain) => `everybody at ${domain}`),
    ...emails,
    ...Object.entries(claims).map(([path, values]) => `${path} = ${values.join(' or ')}`),
  ];
  return all.length === 0 ? 'nobody' : all.join(', ');
}
