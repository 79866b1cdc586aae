import { createProvider } from '../../../src/auth/providers/registry.ts';
import { toSvcError } from '../../../src/errors.ts';
import { openIdUrl } from '../../../src/settings/config-url.ts';
import type { ProviderBlock, Settings } from '../../../src/settings/model.ts';
import type { Address } from '../address.ts';
import { type Check, type DoctorResponse, fetchForCheck, ok, problem, responseText } from '../check.ts';
import type { ServedProject } from './metadata.ts';

/** Milliseconds that sealed tokens allow clocks to differ. */
const MAX_SKEW_MS = 30_000;

/** Checks the identity provider, and whether it accepts our client. */
export async function checkUpstream(
  { auth }: Settings,
  address: Address,
  served: ServedProject,
): Promise<readonly Check[]> {
  if (auth.verifier !== null) {
    const { issuer } = auth.verifier;
    // The server names the issuer as its document does, which may differ in a slash at the end.
    const same = served.issuer === null || openIdUrl(served.issuer) === openIdUrl(issuer);
    const told = same
      ? ok('provider', `tokens come from ${issuer}`)
      : problem(
          'provider',
          `tokens must come from ${issuer}, but clients are sent to ${served.issuer}`,
          RESTART,
        );
    return [told, checkClock(issuer, await fetchForCheck(openIdUrl(issuer)), served.ahead)];
  }
  return auth.provider === null ? [] : checkProvider(auth.provider, address, served);
}

const RESTART = 'The server runs with another configuration. Restart it.';

async function checkProvider(
  block: ProviderBlock,
  address: Address,
  { issuer, ahead }: ServedProject,
): Promise<readonly Check[]> {
  if (issuer !== null && issuer !== address.base) {
    return [problem('provider', `clients are sent to ${issuer}, not to ${address.base}`, RESTART)];
  }
  const callback = `${address.base}${block.callback_path}`;
  // a wrong server is reported first
  const own = issuer === null ? [] : [await checkCallback(callback)];
  try {
    const provider = createProvider(block, { fetch, now: Date.now });
    const [state, nonce, verifier] = ['svc-doctor-looks', 'svc-doctor-looks', 'x'.repeat(43)];
    const url = await provider.authorizationUrl({ state, nonce, verifier, redirectUri: callback });
    const answer = await fetchForCheck(url.href);
    return [...own, checkAuthorize(url, answer, callback), checkClock(url.origin, answer, ahead)];
  } catch (thrown) {
    const { message } = toSvcError(thrown);
    return [...own, problem('provider', message, `Correct the block \`auth.${block.id}\`.`)];
  }
}

/** Checks the callback. Without a login, the server answers with a page that says so. */
async function checkCallback(callback: string): Promise<Check> {
  const answer = await fetchForCheck(callback);
  const page = answer?.headers.get('content-type')?.includes('text/html') === true;
  if (page && answer?.status === 400) {
    return ok('callback', `register exactly ${callback} at the provider`);
  }
  const message = `${callback} answers ${responseText(answer)}, so it is not the callback of this server`;
  const fix = 'Let the proxy pass on this path, and check `callback_path` of the provider.';
  return problem('callback', message, fix);
}

/**
 * Checks the provider's answer to a sign-in. Providers show a page or redirect to one; most refuse an unknown client
 * or callback at once.
 */
function checkAuthorize({ origin }: URL, answer: DoctorResponse | null, callback: string): Check {
  if (answer === null) {
    return problem(
      'provider',
      `there is no answer at ${origin}`,
      'Check that this machine can reach it, and try again.',
    );
  }
  const location = answer.headers.get('location') ?? '';
  if (answer.status < 400 && !/\/error\b|[?&#]error=/.test(location)) {
    return ok('provider', `${origin} knows the client and accepts its callback`);
  }
  const fix = `Register ${callback} at the provider, and check client_id.`;
  return problem('provider', `${origin} refuses the sign-in (${responseText(answer)})`, fix);
}

/** Compares the provider's clock with the server's, or with this machine's if the server sends no date. */
function checkClock(origin: string, answer: DoctorResponse | null, ahead: number | null): Check {
  const there = answer?.ahead ?? null;
  if (there === null && answer === null) {
    const fix = 'Check that this machine can reach it, and try again.';
    return problem('clock', `${origin} does not answer`, fix);
  }
  if (there === null) return ok('clock', `${origin} sends no date, so the clock was not compared`);
  const skew = (ahead ?? 0) - there;
  const told = `${(Math.abs(skew) / 1000).toFixed(0)} s ${skew < 0 ? 'behind' : 'ahead of'} that of ${origin}`;
  if (Math.abs(skew) <= MAX_SKEW_MS) return ok('clock', `the clock is ${told}`);
  return problem('clock', `the clock is ${told}`, 'Synchronise the clock of the server by NTP.');
}
