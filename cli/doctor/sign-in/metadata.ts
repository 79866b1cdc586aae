import type { JsonObject } from '../../../src/json.ts';
import { openIdUrl } from '../../../src/settings/config-url.ts';
import type { Address } from '../address.ts';
import {
  type Check,
  type DoctorResponse,
  fetchForCheck,
  objectOf,
  ok,
  problem,
  responseText,
} from '../check.ts';

/** The metadata that a running server shows, and its checks. */
export interface ServedProject {
  readonly checks: readonly Check[];
  /** The authorization server that the metadata names. */
  readonly issuer: string | null;
  readonly resource: string | null;
  /** Milliseconds that its clock is ahead of ours. */
  readonly ahead: number | null;
}

/**
 * Checks a running server in the order of a new client's first requests. `keysOnly` says whether it accepts API keys
 * only; null if that is unknown.
 */
export async function checkServed(address: Address, keysOnly: boolean | null): Promise<ServedProject> {
  const refused = await call(address.mcp);
  if (refused === null) return { ...NOTHING, checks: [unreachable(address)] };
  const { ahead } = refused;
  const slash = checkSlash(refused, await call(`${address.mcp}/`));
  if (keysOnly ?? isKeyChallenge(refused)) {
    return { ...NOTHING, ahead, checks: [checkKeyChallenge(refused), slash] };
  }
  const challenge = checkChallenge(address, refused);
  if (challenge.status === 'problem') return { ...NOTHING, ahead, checks: [challenge, slash] };
  const { checks, document } = await checkResource(address);
  const [resource, issuer] = [textOf(document?.resource), textOf(first(document?.authorization_servers))];
  const issued = issuer === null ? [] : await checkIssuer(issuer, address);
  return { checks: [challenge, slash, ...checks, ...issued], issuer, resource, ahead };
}

const NOTHING = { issuer: null, resource: null, ahead: null };

function call(url: string): Promise<DoctorResponse | null> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return fetchForCheck(url, { method: 'POST', headers, body: '{}' });
}

function unreachable({ mcp }: Address): Check {
  const fix = 'Start the server, or give its address with --url.';
  return problem('server', `there is no answer at ${mcp}`, fix);
}

/** The address of the MCP endpoint's metadata (RFC 9728, 3.1). */
const metadataOf = ({ origin, prefix }: Address) =>
  `${origin}/.well-known/oauth-protected-resource${prefix}/mcp`;

/** Whether a server asks for a token and names no place to get one. */
function isKeyChallenge({ status, headers }: DoctorResponse): boolean {
  const header = headers.get('www-authenticate') ?? '';
  return status === 401 && /^bearer /i.test(header) && !header.includes('resource_metadata=');
}

function checkKeyChallenge(answer: DoctorResponse): Check {
  if (isKeyChallenge(answer)) return ok('challenge', '401 without a token; the server accepts API keys only');
  const message = `a call without an API key is answered with ${responseText(answer)}, not as by a server with API keys only`;
  return problem('challenge', message, 'Restart the server with this configuration, or correct the address.');
}

function checkChallenge(address: Address, answer: DoctorResponse): Check {
  if (answer.status !== 401) {
    const message = `${address.mcp} answers ${responseText(answer)} to a call without a token, not 401`;
    const fix =
      answer.status < 300
        ? 'The server requires no sign-in. Set `auth.provider`, and check that this is the right server.'
        : `Check that clients reach the server at this address. ${BASE_URL}`;
    return problem('challenge', message, fix);
  }
  const header = answer.headers.get('www-authenticate') ?? '';
  const named = /resource_metadata="([^"]*)"/.exec(header)?.[1];
  const expected = metadataOf(address);
  if (named === expected) return ok('challenge', `401 without a token leads to ${expected}`);
  const message = `401 leads to ${named ?? 'nowhere'}, not to ${expected}`;
  const lost = answer.headers.has('x-amzn-remapped-www-authenticate') ? AWS : PROXY;
  return problem('challenge', message, named === undefined ? lost : BASE_URL);
}

const PROXY = 'Check that no proxy removes the header WWW-Authenticate.';
const AWS =
  'AWS has renamed the header WWW-Authenticate. Put CloudFront in front: see "Lambda" in docs/how-to/deploy.md.';

function checkSlash(without: DoctorResponse, slash: DoctorResponse | null): Check {
  if (slash?.status === without.status) return ok('slash', '/mcp and /mcp/ give the same answer');
  const message = `/mcp answers ${responseText(without)}, and /mcp/ ${responseText(slash)}`;
  return problem('slash', message, 'Let the proxy pass on both paths and redirect neither.');
}

interface Found {
  readonly checks: readonly Check[];
  readonly document: JsonObject | null;
}

/**
 * Checks both addresses of the resource's metadata, because clients use either. The resource must be the address that
 * clients were given.
 */
async function checkResource(address: Address): Promise<Found> {
  const urls = [metadataOf(address), `${address.origin}/.well-known/oauth-protected-resource`];
  const answers = await Promise.all(urls.map((url) => fetchForCheck(url)));
  const [document = null, root = null] = answers.map(objectOf);
  const lost = urls.findIndex((_url, index) => objectOf(answers[index] ?? null) === null);
  if (lost >= 0 || JSON.stringify(document) !== JSON.stringify(root)) {
    const message =
      lost < 0
        ? 'the two forms of the metadata of the resource differ'
        : `${urls[lost]} is not a JSON object (${responseText(answers[lost] ?? null)})`;
    const fix = 'Let the proxy pass on everything below /.well-known/ to this server.';
    return { checks: [problem('resource-metadata', message, fix)], document };
  }
  const both = ok('resource-metadata', 'the metadata of the resource was found in both forms');
  const { resource } = document ?? {};
  const same =
    resource === address.mcp
      ? ok('resource', `the resource is ${address.mcp}, the address that clients use`)
      : problem('resource', `the resource is ${String(resource)}, but clients use ${address.mcp}`, BASE_URL);
  return { checks: [both, same], document };
}

const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : undefined);
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** The fix for a server that names itself differently than its clients do. */
const BASE_URL =
  'Set `transport.http.base_url` to the exact address that clients use, or `transport.http.trust_proxy: true` behind a proxy that ends TLS.';

/** Checks that every document names the issuer in exactly the same way (RFC 8414, 3.3). */
async function checkIssuer(issuer: string, { base }: Address): Promise<readonly Check[]> {
  const own = issuer === base;
  const urls = URL.canParse(issuer) ? urlsOf(issuer, own) : [];
  const answers = await Promise.all(
    urls.map(async (url) => ({ url, document: objectOf(await fetchForCheck(url)) })),
  );
  const found = answers.flatMap(({ url, document }) => (document === null ? [] : [{ url, document }]));
  // a foreign issuer needs only one of the forms
  if (found.length === 0 || (own && found.length < urls.length)) {
    const lost = answers.find(({ document }) => document === null)?.url ?? issuer;
    return [problem('issuer-metadata', `${lost} is not a JSON object`, PASS_ON)];
  }
  const there = `the metadata of the issuer was found (${found.length} of ${urls.length} forms)`;
  return [ok('issuer-metadata', there), checkName(issuer, own, found)];
}

const PASS_ON =
  'Let the proxy pass on everything below /.well-known/, or start the server that issues the tokens.';

type Documents = readonly { readonly url: string; readonly document: JsonObject }[];

function checkName(issuer: string, own: boolean, found: Documents): Check {
  const other = found.find(({ document }) => document.issuer !== issuer);
  if (other !== undefined) {
    const said = `${other.url} says ${String(other.document.issuer)}`;
    return problem('issuer', `the resource names the issuer ${issuer}, but ${said}`, BASE_URL);
  }
  const elsewhere = found
    .flatMap(({ document }) => [document.authorization_endpoint, document.token_endpoint])
    .find((url) => typeof url !== 'string' || (own && !url.startsWith(`${issuer}/`)));
  if (elsewhere === undefined) return ok('issuer', `the issuer is ${issuer} everywhere`);
  return problem('issuer', `an endpoint of the issuer has another address: ${String(elsewhere)}`, BASE_URL);
}

/** The addresses of the metadata: RFC 8414, 3.1, and OpenID Connect Discovery for other servers. */
function urlsOf(issuer: string, own: boolean): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const root = `${origin}/.well-known/oauth-authorization-server`;
  const form = `${root}${pathname.replace(/\/$/, '')}`;
  return [...new Set([form, own ? root : openIdUrl(issuer)])];
}
