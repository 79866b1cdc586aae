import { loadTelemetry } from '../../adapters/artefact/telemetry.ts';
import { enforceKnownAudience, enforcePublicUrls } from '../../src/auth/public-urls.ts';
import { toSvcError } from '../../src/errors.ts';
import type { Finding } from '../../src/project/finding.ts';
import { type Pointed, point } from '../../src/settings/checks/settings.ts';
import type { Settings } from '../../src/settings/model.ts';
import { signInOf } from '../../src/settings/sign-in.ts';

type Path = Parameters<typeof point>[1];

/** Warns about settings with which `svc serve` does not start on this machine. Another platform may serve them. */
export async function checkStart(settings: Settings, at: Pointed): Promise<readonly Finding[]> {
  return [...checkAddress(settings, at), ...(await checkTelemetry(settings, at))];
}

function checkAddress({ auth, transport }: Settings, at: Pointed): readonly Finding[] {
  const { provider, http } = transport;
  if (signInOf(auth) === null || provider === 'stdio') return [];
  const listens = { host: http.host };
  try {
    enforcePublicUrls(http, listens);
    if (auth.verifier !== null) enforceKnownAudience(auth.verifier, http, listens);
    return [];
  } catch (thrown) {
    const path = ['transport', 'http', http.base_url === null ? 'host' : 'base_url'];
    return [toWarning(thrown, at, { code: 'address-unsafe', path })];
  }
}

async function checkTelemetry({ telemetry }: Settings, at: Pointed): Promise<readonly Finding[]> {
  if (!telemetry.enabled) return [];
  try {
    await loadTelemetry();
    return [];
  } catch (thrown) {
    const path = ['profile', 'telemetry', 'enabled'];
    return [toWarning(thrown, at, { code: 'package-missing', path })];
  }
}

function toWarning(
  thrown: unknown,
  at: Pointed,
  { code, path }: { readonly code: string; readonly path: Path },
): Finding {
  const [message = '', ...fix] = toSvcError(thrown).message.split('\n');
  const problem = { code, message: `keeps \`svc serve\` from starting: ${message}`, fix: fix.join(' ') };
  return { ...point(at, path, problem), severity: 'warning' };
}
