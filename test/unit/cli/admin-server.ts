import { request } from 'node:http';
import { Svc } from './svc.ts';

/** A response of the admin API; `body` is parsed if it is JSON. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: ReturnType<typeof JSON.parse>;
}

/** Sends a request without a body to an admin socket. */
export function send(socketPath: string, path: string, method = 'GET', host = 'localhost'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, path, method, headers: { host } }, async (answer) => {
      const text = Buffer.concat(await answer.toArray()).toString();
      const type = answer.headers['content-type'] ?? '';
      resolve({
        status: answer.statusCode ?? 0,
        type,
        body: type.includes('json') ? JSON.parse(text) : text,
      });
    });
    sent.once('error', reject).end();
  });
}

/** A server of the project in `root` with its admin API. */
export async function serveWithAdmin(
  root: string,
  { env = {}, flags = [] }: { env?: Readonly<Record<string, string>>; flags?: readonly string[] } = {},
) {
  const socket = `${root}/run/svc.sock`;
  const all = { SVC_ADMIN_ENABLED: 'true', SVC_ADMIN_SOCKET: socket, ...env };
  const server = new Svc(['serve', '--port', '0', '--json', ...flags], { cwd: root, env: all });
  const { url } = JSON.parse((await server.until(/^\{.*\}$/m))[0]);
  return { server, socket, url: String(url), env: all };
}
