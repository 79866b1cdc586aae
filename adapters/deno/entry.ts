import { toListenHost } from '../../src/public-address.ts';
import { fetchInBackground } from '../artefact/background.ts';
import { startInOneThread } from '../node/one-thread/start.ts';
import { outliveHangups } from '../node/stop-signals.ts';

/* The program of the Deno artefact. Deno has Node's modules, so Node's ports serve, but not its pool of threads: a
 * file descriptor of Deno belongs to one thread. */

/** The parts of Deno that we use. */
interface DenoRuntime {
  serve(options: ServeOptions, handler: Handler): { shutdown(): Promise<void> };
  addSignalListener(signal: 'SIGTERM', listener: () => void): void;
  exit(code: number): never;
}

interface ServeOptions {
  readonly hostname: string;
  readonly port: number;
  onListen(address: { readonly hostname: string; readonly port: number }): void;
}

type Handler = (
  request: Request,
  info: { readonly remoteAddr: { readonly hostname: string } },
) => Promise<Response>;

declare const Deno: DenoRuntime;

/** Running calls are answered within this time after SIGTERM. */
const STOP_MS = 15_000;

const { env } = process;
const host = toListenHost(env.HOST || '127.0.0.1');
// Deno Deploy provides https and routes by the host name. Anywhere else, this program itself listens there.
const listens = env.DENO_DEPLOYMENT_ID ? {} : { listens: { host } };
const server = await startInOneThread({ entry: import.meta.url, ...listens });
outliveHangups(server.log);
const background = new Set<Promise<unknown>>();
const waitUntil = (work: Promise<unknown>) => {
  background.add(work);
  void Promise.allSettled([work]).then(() => background.delete(work));
};

const listening = Deno.serve(
  {
    hostname: host,
    port: Number(env.PORT || '8000'),
    onListen: ({ hostname, port }) =>
      server.log({
        level: 'info',
        message: 'serving',
        fields: { url: `http://${hostname}:${port}/mcp`, hash: server.manifest.hash },
      }),
  },
  (request, { remoteAddr }) =>
    fetchInBackground(server, request, { address: remoteAddr.hostname }, waitUntil),
);

Deno.addSignalListener('SIGTERM', () => {
  setTimeout(() => Deno.exit(0), STOP_MS);
  void listening
    .shutdown()
    .then(() => Promise.allSettled(background))
    .then(() => Deno.exit(0));
});
