import { watchSignals } from '../../adapters/node/stop-signals.ts';
import { checkPort, type Run } from '../command.ts';
import { createDevelopmentWorkbench, openAdmin, openWorkbench } from '../serve/admin.ts';
import { startDevelopment } from '../serve/development.ts';
import { serveOverHttp } from '../serve/http.ts';
import { developmentKeys, listenToKeys, toKeyLine } from '../serve/keys.ts';
import { createProjectFeed } from '../workbench/app.ts';

/** `svc dev`: serves a project while its author edits it, until the process is stopped. */
export const run: Run = async (input, output) => {
  checkPort(input.text('port'));
  const stopped = watchSignals();
  const feed = createProjectFeed();
  const started = await startDevelopment(input, output, feed.announce);
  try {
    const admin = await openAdmin(started);
    const workbench = await openWorkbench(createDevelopmentWorkbench(started, feed));
    const keys = developmentKeys(started, workbench.url, output);
    const isTerminal = process.stdin.isTTY && process.stdout.isTTY && !output.json;
    const stopKeys = isTerminal ? listenToKeys(keys, process.stdin, output.note) : () => {};
    const beside = { workbench: workbench.url, ...(isTerminal ? { keys: toKeyLine(keys) } : {}) };
    await serveOverHttp(started, stopped, output, beside).finally(async () => {
      stopKeys();
      await workbench.close();
      await admin?.close();
    });
  } finally {
    await started.close();
  }
  return 0;
};
