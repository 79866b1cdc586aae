import type { Exchange, World } from './world.ts';

/* What everybody may rely on, whatever the order of things: facts that clients have seen, and judgements of the next answer. */

export interface RegisteredClient {
  readonly id: string;
  /** Null: a public client. */
  readonly secret: string | null;
}

/** One sign-in: its code, and the tokens that came of it. */
export interface Family {
  readonly client: RegisteredClient;
  readonly scopes: readonly string[];
  /** The exchange that brought the code. */
  readonly born: Exchange;
  /** Token responses to its code. */
  redeemed: number;
  readonly refreshTokens: RefreshToken[];
  readonly accessTokens: AccessToken[];
  /** The event at which a right attempt to redeem its code was refused as a second one. */
  refused?: number;
  /** From this event on nobody may use it; the reason. */
  dead: { readonly since: number; readonly why: string } | null;
}

export interface RefreshToken {
  readonly text: string;
  readonly generation: number;
  /** The latest time of any clock when it was first seen, and the event. */
  readonly seen: { readonly latest: number; readonly event: number };
}

export interface AccessToken {
  readonly text: string;
  readonly scopes: readonly string[];
  /** The latest time at which it may count. */
  readonly until: number;
}

/** A promise that was broken. */
export class Violation extends Error {}

/** Milliseconds for which a repeated refresh token gets the same successor (docs/explanation/security.md). */
const AGAIN = 60_000;
const CODE = 60_000;
const IDLE = 30 * 86_400_000;
const ABSOLUTE = 90 * 86_400_000;
/** Seals carry whole seconds. */
const SECOND = 1_000;
/** An instance whose clock is further behind refuses what others have just sealed. */
const SKEW = 30_000;

function enforce(kept: boolean, promise: string): void {
  if (!kept) throw new Violation(promise);
}

function die(family: Family, since: number, why: string): void {
  if (family.dead === null || family.dead.since > since) family.dead = { since, why };
}

/** Whether the clock of the request's instance was never far behind any other. */
function isCurrent({ travel }: Exchange, world: World): boolean {
  return travel.low >= world.latest() - SKEW + SECOND;
}

function enforceAlive({ dead }: Family, { travel }: Exchange, what: string): void {
  enforce(dead === null || dead.since > travel.sent, `${what} after its family had ended: ${dead?.why}`);
}

const within = (some: readonly string[], all: readonly string[]) => some.every((one) => all.includes(one));

/** The attempt to redeem a code; `right` if by its client with its verifier. */
export function judgeRedeem(world: World, family: Family, exchange: Exchange, right: boolean): void {
  const { travel, answered, status, json } = exchange;
  const { born } = family;
  if (status === 200) {
    enforce(right, 'a code gave tokens to another client or without its verifier');
    enforceAlive(family, exchange, 'a code gave tokens');
    enforce(family.redeemed === 0, 'a code gave tokens twice');
    enforce(travel.low < born.travel.high + CODE + SECOND, 'a code gave tokens after a minute');
    family.redeemed += 1;
    takeTokens(world, family, exchange, { generation: 0, scopes: family.scopes });
    // Somebody may have been refused meanwhile because the code was used twice.
    if (family.refused !== undefined)
      die(family, Math.max(answered, family.refused), 'its code was used twice');
    return;
  }
  const open = isCurrent(exchange, world) && travel.high < born.travel.low + CODE;
  if (!right || !open || json.error !== 'invalid_grant') return;
  family.refused ??= answered;
  if (family.redeemed > 0) die(family, answered, 'its code was used twice');
}

/** A use of a refresh token; `right` if by its client. */
export function judgeRefresh(
  world: World,
  { family, token, asked, right }: Refresh,
  exchange: Exchange,
): void {
  const { travel, answered, status, json } = exchange;
  const reuse = reuseOf(family, token, exchange);
  if (status === 200) {
    enforce(right, 'a refresh token served another client');
    enforceAlive(family, exchange, 'a refresh token gave tokens');
    enforce(reuse === null, `a refresh token gave tokens though ${reuse}`);
    enforce(travel.low < token.seen.latest + IDLE + SECOND, 'a refresh token lasted over 30 days');
    enforce(travel.low < family.born.travel.high + ABSOLUTE + 2 * AGAIN, 'a session lasted over 90 days');
    const scopes = family.scopes.filter((scope) => asked.length === 0 || asked.includes(scope));
    takeTokens(world, family, exchange, { generation: token.generation + 1, scopes });
    return;
  }
  const open = isCurrent(exchange, world) && travel.high < token.seen.latest + IDLE - 2 * AGAIN;
  if (right && open && reuse !== null && json.error === 'invalid_grant') die(family, answered, reuse);
}

export interface Refresh {
  readonly family: Family;
  readonly token: RefreshToken;
  readonly asked: readonly string[];
  readonly right: boolean;
}

/** The reason why a use of a refresh token can only be a reuse; null if it may be a repetition. */
function reuseOf({ refreshTokens }: Family, token: RefreshToken, { travel }: Exchange): string | null {
  const known = refreshTokens.filter(({ seen }) => seen.event < travel.sent);
  if (known.some(({ generation }) => generation >= token.generation + 2)) return 'two successors were used';
  const next = known.find(({ generation }) => generation === token.generation + 1);
  const late = next !== undefined && travel.low >= next.seen.latest + AGAIN;
  return late ? 'its successor is a minute old' : null;
}

/** A call with an access token of a tool that needs scopes. */
export function judgeCall(
  family: Family,
  token: AccessToken,
  needed: readonly string[],
  exchange: Exchange,
): void {
  if (exchange.status !== 200) return;
  enforceAlive(family, exchange, 'an access token counted');
  enforce(exchange.travel.low < token.until + SECOND, 'an access token counted after its end');
  enforce(within(needed, token.scopes), `an access token for ${token.scopes} called what needs ${needed}`);
}

/** The revocation of a token by its client. */
export function judgeRevoke(family: Family, { status, answered }: Exchange, right: boolean): void {
  if (right && status === 200) die(family, answered, 'a token of it was revoked');
}

/** A sign-out of a browser whose sign-ins these are. */
export function judgeLogout(families: readonly Family[], { status, answered }: Exchange): void {
  if (status !== 200) return;
  for (const family of families) die(family, answered, 'its browser signed out');
}

function takeTokens(
  world: World,
  family: Family,
  exchange: Exchange,
  { generation, scopes }: { readonly generation: number; readonly scopes: readonly string[] },
): void {
  const { json, answered } = exchange;
  const { access_token = '', refresh_token = '', scope = '', expires_in } = json;
  const given = scope.split(' ');
  enforce(within(given, scopes), `a token of ${scopes} got ${given}`);
  const until = world.latest() + Number(expires_in) * 1_000;
  family.accessTokens.push({ text: access_token, scopes: given, until });
  const same = family.refreshTokens.find(({ text }) => text === refresh_token);
  enforce(
    same === undefined || same.generation === generation,
    'a refresh token came again in another generation',
  );
  const sibling = family.refreshTokens.find((token) => token.generation === generation);
  enforce(sibling === undefined || sibling === same, 'a refresh token has two successors');
  if (same !== undefined) return;
  const seen = { latest: world.latest(), event: answered };
  family.refreshTokens.push({ text: refresh_token, generation, seen });
}
