import { needsSignIn, stateSealer } from '../../adapters/artefact/auth.ts';
import { watchSignals } from '../../adapters/node/stop-signals.ts';
import { SvcError } from '../../src/errors.ts';
import { TRANSPORT_NAMES, type TransportName } from '../../src/transports.ts';
import { VERSION } from '../../src/version.ts';
import { checkPort, type Run } from '../command.ts';
import type { Output } from '../io/output.ts';
import { openAdmin } from '../serve/admin.ts';
import { toOffersText } from '../serve/banner.ts';
import { serveOverHttp } from '../serve/http.ts';
import { start } from '../serve/start.ts';
import type { Started } from '../serve/started.ts';

/** `svc serve`: runs the server until the process is stopped. */
export const run: Run = async (input, output) => {
  checkTransport(input.text('transport'));
  checkPort(input.text('port'));
  // We watch signals from the start, and close everything that we opened however the server ends.
  const stopped = watchSignals();
  const started = await start(input, output);
  try {
    const admin = await openAdmin(started);
    const serve = SERVERS[started.settings.transport.provider];
    await serve(started, stopped, output).finally(() => admin?.close());
  } finally {
    await started.close();
  }
  if (started.settings.transport.provider === 'stdio') {
    const { exitSoon } = await import('../../adapters/stdio/serve.ts');
    exitSoon();
  }
  return 0;
};

const SERVERS: { readonly [name in TransportName]: typeof serveOverHttp } = {
  'streamable-http': serveOverHttp,
  sse: serveOverHttp,
  stdio: serveOverStdio,
};

function checkTransport(transport: string | undefined): void {
  if (transport === undefined || TRANSPORT_NAMES.some((known) => known === transport)) return;
  throw new SvcError('usage', `--transport ${transport} is not known. Choose ${TRANSPORT_NAMES.join(', ')}.`);
}

/**
 * Serves over stdio. Standard output belongs to the protocol: nothing else is written there, not even with --json.
 */
async function serveOverStdio(
  { runtime, serving, settings, leases }: Started,
  stopped: Promise<void>,
  output: Output,
): Promise<void> {
  const { serveStdio } = await import('../../adapters/stdio/serve.ts');
  if (needsSignIn(settings)) {
    const message =
      '`auth` is ignored on stdio: the client that starts the process is its only user, and has no identity.';
    runtime.log({ level: 'warn', message });
  }
  output.note(`serving ${serving.project} on stdio; ${toOffersText(serving)}`);
  const sealer = stateSealer(settings, process.env);
  const connection = serveStdio({
    runtime,
    version: VERSION,
    sealer,
    cutOff: leases.cutOff,
  });
  await Promise.race([stopped, connection.ended]);
  await connection.stop();
  await connection.close();
}
