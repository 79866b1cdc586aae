import { openIdUrl } from '../../../src/auth/upstream/discovery.ts';
import type { JsonObject } from '../../../src/json.ts';
import type { Address } from '../address.ts';
import { type Check, ok, problem } from '../check.ts';
import { fetchForCheck, objectOf } from '../http.ts';

/** The fix for a server that names itself differently than its clients do. */
export const BASE_URL =
  'Set `transport.http.base_url` to the exact address that clients use, or `transport.http.trust_proxy: true` behind a proxy that ends TLS.';

/** Checks that every document names the issuer in exactly the same way (RFC 8414, 3.3). */
export async function checkIssuer(issuer: string, { base }: Address): Promise<readonly Check[]> {
  const own = issuer === base;
  const urls = URL.canParse(issuer) ? urlsOf(issuer, own) : [];
  const answers = await Promise.all(
    urls.map(async (url) => ({ url, document: objectOf(await fetchForCheck(url)) })),
  );
  const found = answers.flatMap(({ url, document }) => (document === null ? [] : [{ url, document }]));
  // another server needs one form only
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
