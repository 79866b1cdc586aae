import { needsSignIn, stateSealer, warnOfScopes } from '../../adapters/artefact/auth.ts';
import type { OpenAuth } from '../../adapters/node/auth/auth.ts';
import { toAddressOptions } from '../../adapters/node/http/addresses.ts';
import { GRACE_MS, startHttpServer } from '../../adapters/node/http/server.ts';
import type { ClosableSse } from '../../adapters/sse/endpoint.ts';
import { type App, createApp } from '../../src/app.ts';
import { enforceExposure } from '../../src/auth/exposure.ts';
import { SvcError } from '../../src/errors.ts';
import { isLoopback } from '../../src/http/access.ts';
import type { ServeOptions } from '../../src/mcp/server.ts';
import type { OnMessage } from '../../src/mcp/transport/streamable-http.ts';
import type { Log } from '../../src/ports.ts';
import { toBase } from '../../src/public-address.ts';
import { signInOf } from '../../src/settings/sign-in.ts';
import { TRANSPORTS } from '../../src/transports.ts';
import { VERSION } from '../../src/version.ts';
import { docsPage } from '../io/docs-page.ts';
import type { Output } from '../io/output.ts';
import { type BannerDetails, toBanner } from './banner.ts';
import type { Started } from './started.ts';

/** Serves Streamable HTTP, and HTTP+SSE if that is chosen, until the process is stopped. */
export async function serveOverHttp(
  started: Started,
  stopped: Promise<void>,
  output: Output,
  beside: Pick<BannerDetails, 'workbench'> & { readonly keys?: string } = {},
): Promise<void> {
  const { serving, settings, around, changes, listsChange, leases } = started;
  const { host, port, stateless, trust_proxy } = settings.transport.http;
  const { log } = started.runtime;
  enforceReach(started);
  const protection = await openAuth(started);
  const sealer = stateSealer(settings, process.env);
  const sealing = { sealer };
  const sse = settings.transport.provider === 'sse' ? await openSse(started, sealing) : null;
  const reach = toAddressOptions(settings.transport.http, { signIn: needsSignIn(settings) });
  const auth = protection === null ? {} : { auth: protection.auth };
  const told = { changes, reloads: listsChange };
  const runtime = () => started.runtime;
  const debug = settings.logging.level === 'DEBUG' ? { onMessage: toMessageLog(log) } : {};
  const own = { runtime, version: VERSION, stateless, log, ...sealing };
  const options = { ...own, ...reach, ...auth, ...told, ...debug };
  const app = createApp(sse === null ? options : { ...options, sse });
  const { cutOff } = leases;
  const server = await startHttpServer({
    app: around(app),
    host,
    port,
    trustProxy: trust_proxy,
    cutOff,
    log,
  });
  const { callerType, path } = TRANSPORTS[sse === null ? 'streamable-http' : 'sse'];
  const { keys, ...shown } = beside;
  const served = { ...serving, ...shown, transport: callerType };
  const url = `${server.url}${path}`;
  const { base_url } = settings.transport.http;
  const reached = base_url === null ? url : `${toBase(base_url)}${path}`;
  output.data({ status: 'ok', ...served, transport: settings.transport.provider, url }, () =>
    toBanner({ ...served, url, reached }, keys),
  );
  await stopped;
  if (sse !== null) await closeSse(sse, app, leases);
  await server.close();
  await protection?.close();
}

/** Logs the methods and the era of each message. */
function toMessageLog(log: Log): OnMessage {
  return ({ methods, ...fields }) => log({ level: 'debug', message: `mcp: ${methods.join(', ')}`, fields });
}

/** Throws `config_invalid` for a server without sign-in that other machines would reach, unless it is public. */
function enforceReach({ settings, runtime: { catalog, log } }: Started): void {
  const { auth, transport } = settings;
  const { host } = transport.http;
  const signIn = signInOf(auth);
  if (isLoopback(host) || signIn !== null) return;
  const place = `The server would listen on ${host}`;
  enforceExposure({ catalog, signIn, public: auth.public }, { place, fix: SERVE_FIX });
  log({
    level: 'warn',
    message: `Every machine that reaches ${host} may call: no sign-in, public on purpose`,
  });
}

const SERVE_FIX = `Set \`auth.provider\` or \`auth.api_keys\` in the user file (${docsPage('how-to/auth-setup.md')}), or listen on 127.0.0.1. If everybody may call it, say \`--public\`, or set \`auth.public: true\`.`;

/** Loads the authorization code only if people must sign in. */
async function openAuth({ settings, runtime, followSettings }: Started): Promise<OpenAuth | null> {
  if (!needsSignIn(settings)) return warnOfScopes(runtime.catalog, runtime);
  const { openAuth: open } = await import('../../adapters/node/auth/auth.ts');
  const { host } = settings.transport.http;
  const opened = await open(settings, runtime.catalog, { log: runtime.log, host });
  followSettings(({ auth }) => opened.apiKeys.replace(auth.api_keys ?? []));
  return opened;
}

/** Loads the old transport only if it is chosen; clients of today use the newer one. */
async function openSse(
  { runtime, settings }: Started,
  sealing: Pick<ServeOptions, 'sealer'>,
): Promise<ClosableSse> {
  if (settings.transport.http.stateless) {
    throw new SvcError(
      'config_invalid',
      'The transport sse keeps a connection for each client, so it cannot be stateless. Leave out --stateless, or choose streamable-http.',
    );
  }
  runtime.log({
    level: 'warn',
    message:
      'The transport sse is deprecated: MCP replaced it in 2025, and newer clients do not support it. They can use /mcp on this server.',
  });
  const { createSseEndpoint } = await import('../../adapters/sse/endpoint.ts');
  return createSseEndpoint({ runtime: () => runtime, version: VERSION, ...sealing });
}

/** Waits for running calls before the streams end, which carry their answers. */
async function closeSse(sse: ClosableSse, app: App, leases: Started['leases']): Promise<void> {
  app.close?.();
  await leases.drained(GRACE_MS);
  leases.cutOff();
  await sse.close();
}
