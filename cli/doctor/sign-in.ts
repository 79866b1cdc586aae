import type { Settings } from '../../src/settings/model.ts';
import type { Address } from './address.ts';
import type { Check } from './check.ts';
import { checkServed } from './sign-in/metadata.ts';
import { checkUpstream } from './sign-in/provider.ts';
import { checkAudience, checkConfigured, isPublicOnPurpose } from './sign-in/settings.ts';

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
