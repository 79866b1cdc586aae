import { enforceKnownAudience, enforcePublicUrls } from '../../src/auth/public-urls.ts';
import { toSvcError } from '../../src/errors.ts';
import type { Finding } from '../../src/project/finding.ts';
import { type Pointed, point } from '../../src/settings/checks/settings.ts';
import type { Settings } from '../../src/settings/model.ts';
import { signInOf } from '../../src/settings/sign-in.ts';

/** Warns about an address with which `svc serve` does not start. Artefacts of other platforms may have the same settings. */
export function checkAddress({ auth, transport }: Settings, at: Pointed): readonly Finding[] {
  const { provider, http } = transport;
  if (signInOf(auth) === null || provider === 'stdio') return [];
  const listens = { host: http.host };
  try {
    enforcePublicUrls(http, listens);
    if (auth.verifier !== null) enforceKnownAudience(auth.verifier, http, listens);
    return [];
  } catch (thrown) {
    const [message = '', ...fix] = toSvcError(thrown).message.split('\n');
    const path = ['transport', 'http', http.base_url === null ? 'host' : 'base_url'];
    const problem = {
      code: 'address-unsafe',
      message: `keeps \`svc serve\` from starting: ${message}`,
      fix: fix.join(' '),
    };
    return [{ ...point(at, path, problem), severity: 'warning' }];
  }
}
