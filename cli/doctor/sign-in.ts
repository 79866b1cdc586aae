import { enforcePublicUrls } from '../../src/auth/public-urls.ts';
import { parseKeys } from '../../src/crypto/keys.ts';
import { toSvcError } from '../../src/errors.ts';
import type { EndpointFile } from '../../src/project/model.ts';
import { checkHolders, toKeyText, toWhoMay, unusedKeyScopes } from '../../src/quality/sign-in/who-may.ts';
import { accessIssues } from '../../src/settings/checks/access.ts';
import { apiKeyIssues } from '../../src/settings/checks/api-keys.ts';
import { toKey } from '../../src/settings/effective/tree.ts';
import type { Settings } from '../../src/settings/model.ts';
import { signInOf } from '../../src/settings/sign-in.ts';
import type { Address } from './address.ts';
import { type Check, ok, problem, warning } from './check.ts';
import { checkServed, type ServedProject } from './sign-in/metadata.ts';
import { checkUpstream } from './sign-in/provider.ts';

/**
 * Checks everything that clients need to sign in. Settings are null outside a project. If an address was given
 * (`here` is false), the server may run elsewhere, with keys that this machine does not have.
 */
export async function checkAuth(
  settings: Settings | null,
  address: Address,
  here: boolean,
): Promise<readonly Check[]> {
  const configured = settings === null ? [] : checkConfigured(settings, address, here);
  if (here && settings !== null && isPublicOnPurpose(settings)) return configured;
  const served = await checkServed(address, settings && acceptsKeysOnly(settings));
  if (settings === null) return served.checks;
  const upstream = await checkUpstream(settings, address, served);
  return [...configured, ...served.checks, ...checkAudience(settings, served), ...upstream];
}

function acceptsKeysOnly({ auth: { provider, verifier, api_keys } }: Settings): boolean {
  return provider === null && verifier === null && api_keys !== null;
}

/** Checks the settings alone. `here` says whether the checked server uses these settings. */
export function checkConfigured(settings: Settings, address: Address, here: boolean): readonly Check[] {
  const { provider } = settings.auth;
  if (isPublicOnPurpose(settings)) {
    return [ok('callers', 'no sign-in, public on purpose: everybody who reaches the server may call it')];
  }
  if (signInOf(settings.auth) === null) {
    const message = 'the configuration has no sign-in: `auth.provider` is none';
    const fix = 'Set `auth.provider`, `auth.mode: verifier` or `auth.api_keys`.';
    return [problem('provider', message, fix)];
  }
  const keys = provider === null ? [] : [checkKeys(settings, here)];
  return [...keys, checkPlace(settings, address)];
}

/** Whether a server has no sign-in because somebody said so (`auth.public`, SVC_PUBLIC). */
function isPublicOnPurpose({ auth }: Settings): boolean {
  return signInOf(auth) === null && auth.public;
}

function checkKeys({ auth, transport }: Settings, here: boolean): Check {
  try {
    const { length } = parseKeys(auth.keys);
    if (length > 0) return ok('keys', `tokens are sealed with the first of ${length} keys`);
  } catch (thrown) {
    const [message = '', ...fix] = toSvcError(thrown).message.split('\n');
    return problem('keys', message, fix.join(' '));
  }
  if (auth.persistence?.type === 'sqlite' && !transport.http.stateless) {
    const place =
      auth.persistence.auth_encryption_key === null
        ? 'the key lies beside the store'
        : 'tokens are sealed with `auth.persistence.auth_encryption_key`';
    return ok('keys', `${place}; further instances need SVC_AUTH_KEYS`);
  }
  if (!here) {
    return ok(
      'keys',
      'this configuration has no keys; the keys of the other server cannot be seen from here',
    );
  }
  const message = 'this configuration has no keys: a restart or another instance signs all users out';
  return problem(
    'keys',
    message,
    'Make one with `svc auth keygen`, and set SVC_AUTH_KEYS to it on every instance.',
  );
}

function checkPlace({ transport }: Settings, { base }: Address): Check {
  const { http } = transport;
  try {
    // over https the server's own metadata decides, because a platform's proxy needs no setting
    if (base.startsWith('http:')) enforcePublicUrls(http, { host: http.host });
  } catch (thrown) {
    const [message = '', ...fix] = toSvcError(thrown).message.split('\n');
    return problem('address', message, fix.join(' '));
  }
  if (http.base_url !== null && http.base_url !== base && !http.trust_proxy) {
    const message = `\`transport.http.base_url\` is ${http.base_url}, but clients use ${base}`;
    return problem('address', message, 'Make both exactly the same.');
  }
  const from = http.base_url === null ? 'the request' : '`transport.http.base_url`';
  return ok('address', `${base}, from ${from}${http.trust_proxy ? ', its scheme from the proxy' : ''}`);
}

/** Checks that tokens for the resource are accepted, by comparing it with the accepted audience. */
function checkAudience({ auth }: Settings, { resource }: ServedProject): readonly Check[] {
  if (resource === null) return [];
  const audience = auth.verifier?.audience ?? [];
  if (audience.length === 0 || audience.includes(resource)) {
    return [ok('audience', `tokens must be issued for ${resource}, which is the resource`)];
  }
  const message = `tokens must be issued for ${audience.join(' or ')}, but clients request tokens for ${resource}`;
  const fix = 'Set `auth.verifier.audience` to the resource, or remove it.';
  return [problem('audience', message, fix)];
}

/** Shows who may use the server and who holds each scope, with a warning for each risk. */
export function checkWhoMay({
  settings: { auth },
  endpoints: files,
}: {
  readonly settings: Settings;
  readonly endpoints: readonly EndpointFile[];
}): readonly Check[] {
  const served = files.flatMap(({ endpoint }) => (endpoint?.enabled ? [endpoint] : []));
  const whoMay = toWhoMay(auth, served);
  if (whoMay === null) return [];
  const scopes = whoMay.scopes
    .filter(({ scope, held_by }) => scope !== 'svc:access' && held_by.length > 0)
    .map(({ scope, held_by, needed_by }) => {
      const needed = needed_by.length === 0 ? 'no endpoint needs it' : `needed by ${needed_by.join(', ')}`;
      return ok('scope', `${scope} is held by ${held_by.join('; ')}; ${needed}`);
    });
  const found = [...accessIssues(auth), ...apiKeyIssues(auth, Date.now()), ...unusedKeyScopes(files, auth)];
  const issues = found.map(({ code, path, message, fix }) =>
    warning(code, `\`${toKey(['auth', ...path])}\` ${message}`, fix),
  );
  const unheld = checkHolders(files, auth).map(({ code, message, fix }) => warning(code, message, fix));
  const keys = whoMay.api_keys.map((key) => ok('api-key', toKeyText(key)));
  return [ok('may-sign-in', whoMay.allowed), ...keys, ...scopes, ...issues, ...unheld];
}
