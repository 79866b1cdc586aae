import { resolve } from 'node:path';
import { type AdminSocket, listenOnSocket } from '../../adapters/admin-socket/listen.ts';
import { createAdmin } from '../../src/admin/app.ts';
import { sourceOf } from './admin-source.ts';
import type { Started } from './started.ts';
import { createWatchingWorkbench } from './workbench.ts';

/** Opens the admin API of a server; null if it is switched off. */
export async function openAdmin(started: Started): Promise<AdminSocket | null> {
  const { settings, requests } = started;
  const { log } = requests;
  if (!settings.admin.enabled) {
    log({ level: 'info', message: 'the admin API is disabled' });
    return null;
  }
  const { answer } = createWatchingWorkbench(started);
  const parts = { source: sourceOf(started), clock: Date, log, debug: settings.debug };
  const admin = createAdmin({ ...parts, workbench: answer });
  const socket = await listenOnSocket(admin, resolve(settings.admin.socket));
  log({ level: 'info', message: 'the admin API is served', fields: { socket: socket.path } });
  return socket;
}
