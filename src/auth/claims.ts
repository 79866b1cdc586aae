import * as v from 'valibot';
import type { User } from '../context.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { type AccessRules, type MemberFacts, toMemberFacts } from './held-scopes.ts';
import type { Identity } from './identity.ts';
import type { UpstreamTokens } from './upstream/provider.ts';

const JSON_VALUE = v.custom<JsonValue>(() => true);

/** The claims about a user in tokens and sessions. The keys are short because headers are. */
export const CLAIMS = v.object({
  i: v.string(),
  un: v.nullable(v.string()),
  em: v.nullable(v.string()),
  nm: v.nullable(v.string()),
  gr: v.array(v.string()),
  rl: v.nullable(v.string()),
  pm: v.array(v.string()),
  cp: v.array(v.string()),
  cl: v.record(v.string(), JSON_VALUE),
  /** Further facts for rules. Tokens of earlier versions lack them. */
  dm: v.optional(v.array(v.string()), []),
  og: v.optional(v.array(v.string()), []),
  rc: v.optional(v.record(v.string(), v.array(v.string())), {}),
});

export type Claims = v.InferOutput<typeof CLAIMS>;

/** The provider's tokens in a session. */
export const UPSTREAM = v.object({
  a: v.string(),
  r: v.nullable(v.string()),
  i: v.nullable(v.string()),
  /** The time when the access token expires; seconds since 1970, null if the provider did not say. */
  e: v.nullable(v.number()),
  /** The time when the tokens were obtained; seconds since 1970. */
  o: v.number(),
  s: v.nullable(v.array(v.string())),
  x: v.record(v.string(), JSON_VALUE),
});

type Upstream = v.InferOutput<typeof UPSTREAM>;

/** Converts an identity to the claims of a token. */
export function toClaims(identity: Identity, rules: AccessRules): Claims {
  const facts = toMemberFacts(identity, rules);
  const { id, username, email, name, groups, role, permissions, capabilities, claims } = identity;
  return {
    i: id,
    un: username,
    em: email,
    nm: name,
    gr: [...groups],
    rl: role,
    pm: [...permissions],
    cp: [...capabilities],
    cl: { ...claims },
    dm: [...facts.domains],
    og: [...facts.organizations],
    rc: Object.fromEntries(Object.entries(facts.claims).map(([path, values]) => [path, [...values]])),
  };
}

/** Converts claims to the facts that rules compare. */
export function fromClaims({ em, dm, gr, og, rc }: Claims): MemberFacts {
  return { email: em, domains: dm, groups: gr, organizations: og, claims: rc };
}

/** Converts claims to the user that policies, SQL and audit records see. */
export function toUser(claims: Claims, provider: string | null, externalToken: string | null): User {
  const { i, un, em, nm, gr, rl, pm, cp, cl } = claims;
  return {
    id: i,
    username: un,
    email: em,
    name: nm,
    provider,
    role: rl,
    permissions: pm,
    groups: gr,
    capabilities: cp,
    claims: cl as JsonObject,
    externalToken,
  };
}

/** Converts the provider's tokens to their form in a session; `now` in milliseconds. */
export function toUpstream(tokens: UpstreamTokens, now: number): Upstream {
  const { accessToken, refreshToken, idToken, expiresAt, scopes, extra } = tokens;
  return {
    o: Math.floor(now / 1000),
    a: accessToken,
    r: refreshToken,
    i: idToken,
    e: expiresAt,
    s: scopes === null ? null : [...scopes],
    x: { ...extra },
  };
}

/** Converts the tokens of a session back, for later requests to the provider. */
export function fromUpstream({ a, r, i, e, s, x }: Upstream): UpstreamTokens {
  return { accessToken: a, refreshToken: r, idToken: i, expiresAt: e, scopes: s, extra: x };
}
