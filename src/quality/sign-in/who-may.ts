import type { Finding } from '../../project/finding.ts';
import { byPlace } from '../../project/issue.ts';
import type { Endpoint, EndpointFile } from '../../project/model.ts';
import { positionAt } from '../../project/yaml/position.ts';
import { accountsOf, clientsHolding } from '../../settings/checks/access.ts';
import type { AuthSettings, Members } from '../../settings/model.ts';

/** The people who may use the server, and the holders of each scope, in words. */
export type WhoMay = {
  readonly allowed: string;
  readonly scopes: readonly ScopeHolders[];
};

/** The holders of a scope, and the endpoints that require it. */
export type ScopeHolders = {
  readonly scope: string;
  /** Empty if nobody holds the scope. */
  readonly held_by: readonly string[];
  /** Names such as `tool/sales`; `every endpoint` for a scope that all users must hold. */
  readonly needed_by: readonly string[];
};

/** Describes who may do what; null without sign-in. */
export function toWhoMay(auth: AuthSettings, endpoints: readonly Endpoint[]): WhoMay | null {
  const accounts = accountsOf(auth);
  if (accounts === null) return null;
  const needed = endpoints.flatMap(({ scopes }) => scopes);
  const granted = auth.grants.map(({ scope }) => scope);
  const scopes = [...new Set(['svc:access', ...auth.required_scopes, ...needed, ...granted])];
  return {
    allowed: auth.allow === null ? accounts : membersText(auth.allow),
    scopes: scopes.map((scope) => ({
      scope,
      held_by: holdersOf(auth, scope),
      needed_by: auth.required_scopes.includes(scope)
        ? ['every endpoint']
        : endpoints.filter((one) => one.scopes.includes(scope)).map(({ kind, name }) => `${kind}/${name}`),
    })),
  };
}

/** Warns about scopes that endpoints require and that neither users nor clients can hold. */
export function checkHolders(files: readonly EndpointFile[], auth: AuthSettings): readonly Finding[] {
  if (accountsOf(auth) === null) return [];
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
              fix: 'Add an entry for it to `auth.grants` in the user file.',
            },
      ),
    )
    .toSorted(byPlace);
}

function holdersOf(auth: AuthSettings, scope: string): readonly string[] {
  const people =
    scope === 'svc:access'
      ? ['everybody who may use the server']
      : auth.grants.filter((grant) => grant.scope === scope).map(({ to }) => membersText(to));
  return [...people, ...clientsHolding(auth, scope).map(({ client_id }) => `client ${client_id}`)];
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
