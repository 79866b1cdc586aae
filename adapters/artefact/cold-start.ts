import type { App } from '../../src/app.ts';
import type { Manifest } from '../../src/catalog/manifest.ts';
import { toSvcError } from '../../src/errors.ts';
import { isMcpPath } from '../../src/http/errors.ts';
import type { Log, SecretSource } from '../../src/ports.ts';
import type { Environment } from '../../src/settings/environment.ts';
import type { Settings } from '../../src/settings/model.ts';
import type { Connections } from '../../src/settings/references/connections.ts';

/** The inputs of an artefact's settings when an instance starts. */
export interface ColdStart {
  readonly manifest: Pick<Manifest, 'catalog' | 'profile' | 'secrets'>;
  /** The text of the user file in the artefact; null if it was built without one. */
  readonly bundled: string | null;
  readonly env: Environment;
}

/** Creates the source that resolves `${NAME}`, `vault://` and other references on a platform. */
export type OpenSource = (connections: Connections, env: Environment) => SecretSource;

/** Loads the settings of an artefact. Returns null if it needs none; throws SvcError if they are not sound. */
export type LoadStartSettings = (start: ColdStart) => Promise<Settings | null>;

/** The handler of requests: the app, or one that refuses them all because the configuration is not sound. */
interface StartedHandler extends Pick<App, 'fetch'> {
  readonly refuses: boolean;
}

/** Returns the handler of requests when the configuration is loaded. */
export type RequestGate = () => Promise<StartedHandler>;

/** A failed load is tried again after this long: a Vault may be restarting, but not every request may ask it. */
const RETRY_MS = 5_000;

/** Loads once for all requests. A failure is logged, lasts for `RETRY_MS`, and is then tried again. */
export function createGate(
  load: () => Promise<Pick<App, 'fetch'>>,
  log: Log,
  now: () => number = Date.now,
): RequestGate {
  let attempt: ReturnType<RequestGate> | null = null;
  let failedAt: number | null = null;
  const tried = async () => {
    try {
      const { fetch } = await load();
      return { fetch, refuses: false };
    } catch (thrown) {
      failedAt = now();
      const { code, message } = toSvcError(thrown);
      log({ level: 'error', message: `refusing to serve: ${message}`, fields: { code } });
      return { fetch: refuse, refuses: true };
    }
  };
  return () => {
    if (failedAt !== null && now() - failedAt >= RETRY_MS) {
      attempt = null;
      failedAt = null;
    }
    attempt ??= tried();
    return attempt;
  };
}

/** Answers 503 without the reason, which is only in the log. */
async function refuse({ url }: Request): Promise<Response> {
  const message = 'The server is misconfigured.';
  const body = isMcpPath(new URL(url).pathname)
    ? { jsonrpc: '2.0', id: null, error: { code: -32603, message, data: { code: 'config_invalid' } } }
    : { error: 'config_invalid', message };
  return Response.json(body, { status: 503, headers: { 'cache-control': 'no-store' } });
}
