import type { Run } from '../command.ts';
import { checkPort } from '../project/port.ts';
import { openAdmin } from '../serve/admin.ts';
import { startDevelopment } from '../serve/development.ts';
import { serveOverHttp } from '../serve/http.ts';
import { watchSignals } from '../serve/signals.ts';
import { createDevelopmentWorkbench, openWorkbench } from '../serve/workbench.ts';
import { createProjectFeed } from '../workbench/events.ts';

/** `svc dev`: serves a project while its author edits it, until the process is stopped. */
export const run: Run = async (input, output) => {
  checkPort(input.text('port'));
  const stopped = watchSignals();
  const feed = createProjectFeed();
  const started = await startDevelopment(input, output, feed.announce);
  try {
    const admin = await openAdmin(started);
    const workbench = await openWorkbench(createDevelopmentWorkbench(started, feed));
    await serveOverHttp(started, stopped, output, { workbench: workbench.url }).finally(async () => {
      await workbench.close();
      await admin?.close();
    });
  } finally {
    await started.close();
  }
  return 0;
};
