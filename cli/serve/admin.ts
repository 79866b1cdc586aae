import { getRequestListener } from '@hono/node-server';
import { type AdminSocket, listenOnSocket } from '../../adapters/admin-socket/listen.ts';
import { absolutePath } from '../../adapters/node/absolute-path.ts';
import { type BrowserDoor, openBrowserDoor } from '../../adapters/node/http/browser-door.ts';
import { createAdmin } from '../../src/admin/app.ts';
import { SvcError } from '../../src/errors.ts';
import { createProjectFeed, createWorkbench, type ProjectFeed, type Workbench } from '../workbench/app.ts';
import { sourceOf } from './admin-source.ts';
import type { Started } from './started.ts';

/** Opens the admin API of a server; null if it is switched off. */
export async function openAdmin(started: Started): Promise<AdminSocket | null> {
  const { settings, runtime } = started;
  const { log } = runtime;
  if (!settings.admin.enabled) {
    log({ level: 'info', message: 'the admin API is disabled' });
    return null;
  }
  const { answer } = createWatchingWorkbench(started);
  const parts = { source: sourceOf(started), clock: Date, log, debug: settings.debug };
  const admin = createAdmin({ ...parts, workbench: answer });
  const socket = await listenOnSocket(admin, absolutePath('', settings.admin.socket));
  log({ level: 'info', message: 'the admin API is served', fields: { socket: socket.path } });
  return socket;
}

/** Makes the workbench of `svc dev`, with which its author calls endpoints as any user. */
export function createDevelopmentWorkbench(started: Started, feed: ProjectFeed): Workbench {
  return toWorkbench(started, { feed, authoring: true });
}

/** Makes the workbench of `svc admin --web`, which watches a server. */
function createWatchingWorkbench(started: Started): Workbench {
  return toWorkbench(started, { feed: createProjectFeed(), authoring: false });
}

function toWorkbench(
  started: Started,
  options: { readonly feed: ProjectFeed; readonly authoring: boolean },
): Workbench {
  const { live } = started;
  if (live === null) throw new SvcError('internal', 'This server keeps no calls for a workbench.');
  return createWorkbench({ running: started, live, source: sourceOf(started), ...options });
}

/** Serves a workbench to the browsers of this machine, on a port of its own that is never the served address. */
export function openWorkbench(workbench: Workbench): Promise<BrowserDoor> {
  const listener = getRequestListener(
    async (request) =>
      (await workbench.answer(request)) ?? new Response('There is nothing here.', { status: 404 }),
    { overrideGlobalObjects: false },
  );
  return openBrowserDoor({
    port: 0,
    command: 'svc dev',
    answer: (request, response, path) => {
      request.url = path;
      return listener(request, response);
    },
  });
}
