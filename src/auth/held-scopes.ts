import { SvcError } from '../errors.ts';
import type { AuthSettings, Members } from '../settings/model.ts';
import { type Identity, valuesAt } from './identity.ts';
import { DEFAULT_SCOPE, type Scopes } from './scopes.ts';

/** The rules that decide who may use the server, and which scopes a user holds. */
export type AccessRules = Pick<AuthSettings, 'allow' | 'grants'>;

/** The facts about a user that rules compare. */
export interface MemberFacts {
  /** A verified address, or null. */
  readonly email: string | null;
  readonly domains: readonly string[];
  readonly groups: readonly string[];
  readonly organizations: readonly string[];
  /** The values of claims, by path, that occur in the rules. */
  readonly claims: { readonly [path: string]: readonly string[] };
}

/** Collects the facts that the rules compare. Of claims, only values that the rules name are kept, so that tokens stay small. */
export function toMemberFacts(identity: Identity, rules: AccessRules): MemberFacts {
  const { email, domains, groups, organizations, mapped } = identity;
  const named = allMembers(rules).flatMap(({ claims }) => Object.entries(claims));
  const claims = Object.fromEntries(
    [...Map.groupBy(named, ([path]) => path)].flatMap(([path, entries]) => {
      const accepted = new Set(entries.flatMap(([, values]) => values));
      const held = [...new Set(valuesAt(mapped, path))].filter((value) => accepted.has(value));
      return held.length === 0 ? [] : [[path, held]];
    }),
  );
  return { email, domains, groups, organizations, claims };
}

/** Returns the scopes that a user holds; null if the user may not use the server. Unknown facts grant nothing. */
export function heldScopes({ allow, grants }: AccessRules, facts: MemberFacts): readonly string[] | null {
  if (allow !== null && !isMember(allow, facts)) return null;
  const granted = grants.filter(({ to }) => isMember(to, facts)).map(({ scope }) => scope);
  return [...new Set([DEFAULT_SCOPE, ...granted])];
}

/** The parts of a server that decide on a user. */
interface Entitling {
  readonly rules: AccessRules;
  readonly scopes: Pick<Scopes, 'required'>;
}

/** The names of a user for messages. */
interface NamedUser {
  readonly id: string;
  readonly username: string | null;
  readonly email: string | null;
  readonly apiKey?: string;
}

/** The name of a user in messages. */
export function labelOf({ email, username, id, apiKey }: NamedUser): string {
  return apiKey === undefined ? (email ?? username ?? id) : `The API key ${apiKey}`;
}

/**
 * Returns the scopes that a user holds. Throws denied for a user who may not use the server: `auth.allow` does not name
 * them, or they lack a scope that every user must hold (spec, `authorization.required_scopes`).
 */
export function enforceEntitled(
  { rules, scopes: { required } }: Entitling,
  user: NamedUser,
  facts: MemberFacts,
): readonly string[] {
  const held = heldScopes(rules, facts);
  if (held === null) throw notAllowed(rules, user);
  const missing = required.filter((scope) => !held.includes(scope));
  if (missing.length === 0) return held;
  const why = `every user must hold ${missing.join(' ')}`;
  throw new SvcError('denied', `${labelOf(user)} signed in, and may not use this server: ${why}.`);
}

/** The error for a user whom `auth.allow` does not name. */
export function notAllowed({ allow }: AccessRules, user: NamedUser): SvcError {
  const grouped = allow !== null && allow.groups.length + allow.organizations.length > 0;
  const why = grouped ? 'is not in a group that' : 'is not one of the people who';
  return new SvcError('denied', `${labelOf(user)} signed in, and ${why} may use this server.`);
}

/** Whether a user matches one entry of a rule. */
function isMember(rule: Members, facts: MemberFacts): boolean {
  const { emails, domains, groups, organizations, claims } = rule;
  return (
    overlap(emails.map(toLower), facts.email === null ? [] : [toLower(facts.email)]) ||
    overlap(domains.map(toLower), facts.domains.map(toLower)) ||
    overlap(groups, facts.groups) ||
    overlap(organizations, facts.organizations) ||
    Object.entries(claims).some(
      ([path, values]) => Object.hasOwn(facts.claims, path) && overlap(values, facts.claims[path] ?? []),
    )
  );
}

/** The facts that a provider must find out for the rules, as in `ProviderPorts.wanted`. */
export function wantedFacts(rules: AccessRules): readonly string[] {
  const all = allMembers(rules);
  const lists = (['groups', 'organizations'] as const).filter((key) =>
    all.some((one) => one[key].length > 0),
  );
  return [...new Set([...lists, ...all.flatMap(({ claims }) => Object.keys(claims))])];
}

function allMembers({ allow, grants }: AccessRules): readonly Members[] {
  return [...(allow === null ? [] : [allow]), ...grants.map(({ to }) => to)];
}

function overlap(some: readonly string[], others: readonly string[]): boolean {
  return some.some((one) => others.includes(one));
}

/** Lower case of ASCII letters only: other letters could turn into them. */
function toLower(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}
