import type { Finding } from '../../project/finding.ts';
import type { Path } from '../../project/yaml/position.ts';
import type { AuthSettings, Members, Settings } from '../model.ts';
import { PROVIDERS, type ProviderRecord } from '../schema/providers.ts';
import { apiKeyIssues, keysHolding } from './api-keys.ts';
import { type Pointed, point } from './settings.ts';

/** An issue of `auth.allow`, `auth.grants` or `required_scopes`; its path is below `auth`. */
export interface AccessIssue extends Pick<Finding, 'severity' | 'code' | 'message' | 'fix'> {
  readonly path: Path;
}

/** Reports rules that let everybody in, match nobody, or rely on facts that users choose themselves. */
export function checkAccess({ auth }: Pick<Settings, 'auth'>, at: Pointed): readonly Finding[] {
  return toAuthFindings([...accessIssues(auth), ...apiKeyIssues(auth, Date.now())], at);
}

/** Gives issues of `auth` their places in the user file. */
export function toAuthFindings(issues: readonly AccessIssue[], at: Pointed): readonly Finding[] {
  return issues.map(({ path, severity, ...problem }) => ({
    ...point(at, ['profile', 'auth', ...path], problem),
    severity,
  }));
}

/** The issues of the rules. Messages continue the name of the key. */
export function accessIssues(auth: AuthSettings): readonly AccessIssue[] {
  const issuer = sourceOf(auth);
  const rules = [
    ...(auth.allow === null ? [] : [{ path: ['allow'], members: auth.allow }]),
    ...auth.grants.map(({ to }, index) => ({ path: ['grants', index, 'to'], members: to })),
  ];
  const forms = rules.flatMap(({ path, members }) => formIssues(members, path));
  if (issuer === null) return [...forms, ...publicIssues(auth)];
  return [
    ...openIssues(auth, issuer),
    ...forms,
    ...rules.flatMap(({ path, members }) => [
      ...unverifiedIssues(auth, members, path),
      ...idleIssues(auth, members, path),
    ]),
    ...unheldIssues(auth),
  ];
}

/** The facts about a provider of accounts that decide which rules make sense. */
type AccountSource = Omit<ProviderRecord, 'block' | 'title' | 'severalOrigins'>;

const VERIFIER: AccountSource = {
  accounts: 'every user for whom the issuer makes a token',
  unnamed: ['organizations'],
};

/** The provider of accounts; null without sign-in. */
function sourceOf({ provider, verifier }: AuthSettings): AccountSource | null {
  if (verifier !== null) return VERIFIER;
  return provider === null ? null : PROVIDERS[provider.id];
}

/** The people who may use the server without `auth.allow`, for messages; null without sign-in. */
export function accountsOf(auth: AuthSettings): string | null {
  const domain = auth.provider?.id === 'google' ? auth.provider.extra_authorize_params?.hd : undefined;
  if (domain === '*') return 'everybody with an account of any Google Workspace';
  if (domain !== undefined) return `every Google account of ${domain}`;
  return sourceOf(auth)?.accounts ?? null;
}

function publicIssues(auth: AuthSettings): readonly AccessIssue[] {
  if (!auth.public || auth.api_keys !== null) return [];
  const message =
    'is true and there is no sign-in, so everybody who reaches the server may call it, on purpose.';
  const fix = 'Set `auth.provider` if callers should sign in.';
  return [{ severity: 'info', code: 'public-on-purpose', path: ['public'], message, fix }];
}

function openIssues(auth: AuthSettings, { accounts }: AccountSource): readonly AccessIssue[] {
  const text = accountsOf(auth) ?? accounts;
  if (auth.allow !== null || text.startsWith('every Google account of ')) return [];
  const message = `is set without \`allow\` beside it, so ${text} may use the server.`;
  const fix = 'Add `allow` with the groups, domains or emails of your people.';
  const path = [auth.verifier === null ? 'provider' : 'mode'];
  return [{ severity: 'warning', code: 'sign-in-open', path, message, fix }];
}

function formIssues(members: Members, path: Path): readonly AccessIssue[] {
  const wrong = (key: Path, message: string, fix: string): AccessIssue => ({
    severity: 'error',
    code: 'wrong-value',
    path: [...path, ...key],
    message,
    fix,
  });
  const addresses = members.emails.filter((email) => !/^[^@\s]+@[^@\s]+$/.test(email));
  const domains = members.domains.filter((domain) => !/^[^@\s/:*]+$/.test(domain));
  return [
    ...(isEmpty(members)
      ? [wrong([], 'names nobody.', 'List emails, domains, groups, organizations or claims.')]
      : []),
    ...addresses.map((email) =>
      wrong(['emails'], `has ${email}, which is not an email address.`, 'Correct it.'),
    ),
    ...domains.map((domain) =>
      wrong(['domains'], `has ${domain}, which is not a domain.`, 'Write one such as example.com.'),
    ),
  ];
}

function isEmpty({ claims, ...lists }: Members): boolean {
  return [...Object.values(lists), ...Object.values(claims)].every(({ length }) => length === 0);
}

/** Claims that users choose themselves at most providers. */
const CHOSEN: ReadonlySet<string> = new Set([
  ...['address', 'birthdate', 'email_unverified', 'family_name', 'gender', 'given_name', 'locale', 'login'],
  ...['middle_name', 'name', 'nickname', 'phone_number', 'picture', 'preferred_username', 'username'],
  ...['website', 'zoneinfo'],
]);

function unverifiedIssues(auth: AuthSettings, { claims }: Members, path: Path): readonly AccessIssue[] {
  return Object.keys(claims).flatMap((claim) => {
    const name = claim.split('.')[0] ?? '';
    const asked = name === 'scope' || name === 'scp';
    if (!asked && !CHOSEN.has(name)) return [];
    const why = asked
      ? 'contains what the client asked for, unless the issuer decides on scopes by user'
      : 'is not verified: at most providers, users choose it themselves';
    const fix =
      asked && auth.verifier !== null
        ? 'Keep it only if the issuer gives this scope to the right users alone; otherwise name a group or a role.'
        : 'Name a group, a role or a verified email address instead.';
    return [
      {
        severity: 'warning',
        code: 'grant-unverified',
        path: [...path, 'claims', claim],
        message: `${why}.`,
        fix,
      },
    ];
  });
}

function idleIssues(auth: AuthSettings, members: Members, path: Path): readonly AccessIssue[] {
  const never = sourceOf(auth)?.unnamed ?? [];
  const issue = (key: Path, message: string, fix: string): AccessIssue => ({
    severity: 'warning',
    code: 'grant-idle',
    path: [...path, ...key],
    message,
    fix,
  });
  const unnamed = never
    .filter((list) => members[list].length > 0)
    .map((list) =>
      issue(
        [list],
        `matches nobody, because the provider names no ${list}.`,
        'Use another list, or `claims`.',
      ),
    );
  return [
    ...unnamed,
    ...guardedFacts(auth, members).map(({ list, provider, scope }) =>
      issue(
        Object.hasOwn(members, list) ? [list] : ['claims', list],
        `matches nobody, because \`${provider}.scope\` does not ask for it.`,
        `Add ${scope} to \`${provider}.scope\`.`,
      ),
    ),
  ];
}

/** The lists and claims of a rule whose scope the operator's own `scope` leaves out. */
function guardedFacts({ provider }: AuthSettings, members: Members) {
  if (provider === null) return [];
  const { guarded }: ProviderRecord = PROVIDERS[provider.id];
  const asked = (provider.scope ?? '').split(/[\s,]+/).filter((scope) => scope !== '');
  if (guarded === undefined || asked.length === 0) return [];
  if (guarded.scopes.some((scope) => asked.includes(scope))) return [];
  return guarded.facts
    .filter((list) => listOf(members, list).length > 0)
    .map((list) => ({ list, provider: provider.id, scope: guarded.scopes[0] }));
}

function listOf(members: Members, list: string): readonly string[] {
  const { claims, ...lists } = members;
  return { ...claims, ...lists }[list] ?? [];
}

/** The static clients that hold a scope on their own, without a user. */
export function clientsHolding({ clients }: AuthSettings, scope: string): AuthSettings['clients'] {
  return clients.filter(
    ({ grant_types, scopes }) => grant_types.includes('client_credentials') && scopes.includes(scope),
  );
}

function unheldIssues(auth: AuthSettings): readonly AccessIssue[] {
  const { grants, required_scopes } = auth;
  const granted = new Set(['svc:access', ...grants.map(({ scope }) => scope)]);
  const required = required_scopes.filter(
    (scope) =>
      !granted.has(scope) &&
      clientsHolding(auth, scope).length + keysHolding(auth, scope, Date.now()).length === 0,
  );
  return [
    ...required.map(
      (scope): AccessIssue => ({
        severity: 'warning',
        code: 'scope-unheld',
        path: ['authorization', 'required_scopes'],
        message: `has ${scope}, which no entry of \`grants\` gives, so no user may use the server.`,
        fix: 'Add an entry to `grants`, or remove the scope.',
      }),
    ),
    ...grants.flatMap(({ scope }, index): readonly AccessIssue[] =>
      scope === 'svc:access'
        ? [
            {
              severity: 'warning',
              code: 'grant-idle',
              path: ['grants', index, 'scope'],
              message: 'is svc:access, which everybody holds who may use the server.',
              fix: 'Use `allow` to restrict the server, and remove this entry.',
            },
          ]
        : [],
    ),
  ];
}
