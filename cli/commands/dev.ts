import type { Run } from '../command.ts';
import { checkPort } from '../project/port.ts';
import { openAdmin } from '../serve/admin.ts';
import { startDevelopment } from '../serve/development.ts';
import { serveOverHttp } from '../serve/http.ts';
import { watchSignals } from '../serve/signals.ts';

/** `svc dev`: serves a project while its author edits it, until the process is stopped. */
export const run: Run = async (input, output) => {
  checkPort(input.text('port'));
  const stopped = watchSignals();
  const started = await startDevelopment(input, output);
  try {
    const admin = await openAdmin(started);
    await serveOverHttp(started, stopped, output).finally(() => admin?.close());
  } finally {
    await started.close();
  }
  return 0;
};
