import { needsSignIn } from '../../adapters/artefact/auth.ts';
import { VERSION } from '../../src/version.ts';
import type { Output } from '../io/output.ts';
import { toOffersText } from './banner.ts';
import type { Started } from './start.ts';

/**
 * Serves over stdio. Standard output belongs to the protocol: nothing else is written there, not even with --json.
 */
export async function serveOverStdio(
  { runtime, serving, settings, requests, leases }: Started,
  stopped: Promise<void>,
  output: Output,
): Promise<void> {
  const { serveStdio } = await import('../../adapters/stdio/serve.ts');
  if (needsSignIn(settings)) {
    const message =
      '`auth` is ignored on stdio: the client that starts the process is its only user, and has no identity.';
    requests.log({ level: 'warn', message });
  }
  output.note(`serving ${serving.project} on stdio; ${toOffersText(serving)}`);
  const connection = serveStdio({ runtime, version: VERSION, cutOff: leases.cutOff });
  await Promise.race([stopped, connection.ended]);
  await connection.stop();
  await connection.close();
}
