import { type ErrorCode, SvcError, toSvcError } from '../../errors.ts';
import type { Log } from '../../ports.ts';
import { checkRequiredScopes, findToken, rejectRequest, tokenInvalid } from '../bearer.ts';
import { toResourceMetadata } from '../endpoints/metadata.ts';
import { type AccessRules, heldScopes, notAllowed, toMemberFacts } from '../held-scopes.ts';
import { toOAuthErrorResponse } from '../oauth-error.ts';
import type { PublicUrls } from '../public-urls.ts';
import type { Scopes } from '../scopes.ts';
import type { Auth, Authenticated, AuthRejection } from '../types.ts';
import type { Verifier, VerifyOptions } from './verify.ts';

/** The parts of `auth.mode: verifier`. */
interface VerifierDeps {
  readonly verifier: Verifier;
  /** The configured server that issues the tokens. The metadata names it while it does not tell its own name. */
  readonly issuer: string;
  readonly project: string;
  readonly scopes: Omit<Scopes, 'all'>;
  readonly rules: AccessRules;
  readonly publicUrlsOf: (request: Request) => PublicUrls;
  /** The paths of the metadata. */
  readonly paths: readonly string[];
  readonly log: Log;
  /** The time in milliseconds. */
  readonly now: () => number;
}

/** `auth.mode: verifier`: checks tokens and names the server that issues them (RFC 9728). It issues none itself. */
export function createVerifierAuth(deps: VerifierDeps): Pick<Auth, 'authenticate' | 'respond'> {
  const enforceLength = createLengthCheck(deps);
  return {
    authenticate: (request, signal, admit = async () => {}) =>
      authenticate({ ...deps, enforceLength }, request, { signal, admit }),
    respond: ({ request, signal, count }) => {
      const path = new URL(request.url).pathname.replace(/(.)\/$/, '$1');
      // Metadata counts as a request only if it asks the authorization server.
      const options = { signal, admit: async () => count() };
      return deps.paths.includes(path) ? answerMetadata(deps, request, options) : null;
    },
  };
}

/** The most characters of a token. On Node, all headers of a request together have at most as many bytes. */
const MAX_TOKEN = 16_384;
/** Any sender can make a token too long, so the log says it at most once in this time. */
const LOG_EVERY_MS = 60_000;

/** Throws token_invalid for a token that is too long, and logs it. */
type EnforceLength = (token: string) => void;

function createLengthCheck({ log, now }: Pick<VerifierDeps, 'log' | 'now'>): EnforceLength {
  let silentUntil = 0;
  return ({ length }) => {
    if (length <= MAX_TOKEN) return;
    const error = new SvcError('token_invalid', `The token has more than ${MAX_TOKEN} characters.`);
    if (now() < silentUntil) throw error;
    silentUntil = now() + LOG_EVERY_MS;
    const message = `a token of ${length} characters was refused, because at most ${MAX_TOKEN} are accepted: let the authorization server put less into it`;
    log({ level: 'warn', message });
    throw error;
  };
}

/** Errors of the client's token, which are not logged. */
const CLIENT_FAULTS: readonly ErrorCode[] = [
  'request_invalid',
  'token_missing',
  'token_invalid',
  'denied',
  'rate_limited',
];

async function authenticate(
  {
    verifier,
    scopes,
    rules,
    publicUrlsOf,
    log,
    enforceLength,
  }: VerifierDeps & { readonly enforceLength: EnforceLength },
  request: Request,
  options: VerifyOptions,
): Promise<Authenticated | AuthRejection> {
  const urls = publicUrlsOf(request);
  try {
    const token = findToken(request);
    enforceLength(token);
    const verified = await verifier.verify(token, urls.aliases, options);
    if (verified === null) throw tokenInvalid();
    const { user, identity, scopes: granted, lastsMs } = verified;
    const held = heldScopes(rules, toMemberFacts(identity, rules));
    if (held === null) throw notAllowed(rules, user);
    const own = granted.filter((scope) => held.includes(scope));
    return checkRequiredScopes({ user, scopes: own, held, sessionId: null, lastsMs }, urls, scopes);
  } catch (thrown) {
    const rejection = rejectRequest(thrown, urls, scopes);
    if (!CLIENT_FAULTS.includes(rejection.error.code)) {
      log({ level: 'error', message: `a token could not be checked: ${rejection.error.message}` });
    }
    return rejection;
  }
}

const CORS = { 'access-control-allow-origin': '*' };

async function answerMetadata(
  deps: VerifierDeps,
  request: Request,
  options: VerifyOptions,
): Promise<Response> {
  const { method } = request;
  if (method === 'OPTIONS') {
    const headers = { ...CORS, 'access-control-allow-methods': 'GET', 'access-control-allow-headers': '*' };
    return new Response(null, { status: 204, headers });
  }
  const response = await toMetadata(deps, request, options);
  response.headers.set('access-control-allow-origin', '*');
  return method === 'HEAD' ? new Response(null, response) : response;
}

async function toMetadata(
  { publicUrlsOf, verifier, ...deps }: VerifierDeps,
  request: Request,
  options: VerifyOptions,
): Promise<Response> {
  try {
    if (request.method === 'GET' || request.method === 'HEAD') {
      const urls = publicUrlsOf(request);
      const issuer = await verifier.issuer(options).catch(() => deps.issuer);
      const body = toResourceMetadata(deps, { urls }, [issuer]);
      return Response.json(body, { headers: { 'cache-control': 'public, max-age=300' } });
    }
    const refused = toOAuthErrorResponse(
      new SvcError('method_not_allowed', `${request.method} is not used here: GET only.`),
    );
    refused.headers.set('allow', 'GET');
    return refused;
  } catch (thrown) {
    return toOAuthErrorResponse(toSvcError(thrown));
  }
}
