import { SvcError } from '../../src/errors.ts';
import { TRANSPORT_NAMES, type TransportName } from '../../src/transports.ts';
import { checkPort, type Run } from '../command.ts';
import { openAdmin } from '../serve/admin.ts';
import { serveOverHttp } from '../serve/http.ts';
import { watchSignals } from '../serve/signals.ts';
import { start } from '../serve/start.ts';
import { serveOverStdio } from '../serve/stdio.ts';

/** `svc serve`: runs the server until the process is stopped. */
export const run: Run = async (input, output) => {
  checkTransport(input.text('transport'));
  checkPort(input.text('port'));
  // Signals are watched from the start, what was opened is closed at the end, however it comes.
  const stopped = watchSignals();
  const started = await start(input, output);
  try {
    const admin = await openAdmin(started);
    const serve = SERVERS[started.settings.transport.provider];
    await serve(started, stopped, output).finally(() => admin?.close());
  } finally {
    await started.close();
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
