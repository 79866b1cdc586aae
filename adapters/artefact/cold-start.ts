import type { Manifest } from '../../src/catalog/manifest.ts';
import { toSvcError } from '../../src/errors.ts';
import { isMcpPath } from '../../src/http/errors.ts';
import type { Log, SecretSource } from '../../src/ports.ts';
import type { Environment } from '../../src/settings/environment.ts';
import type { Settings } from '../../src/settings/model.ts';
import type { Connections } from '../../src/settings/references/connections.ts';

/** What an artefact has when it starts. */
export interface ColdStart {
  readonly manifest: Pick<Manifest, 'catalog' | 'profile' | 'secrets'>;
  /** The user file in the artefact; null when none was asked for. */
  readonly bundled: string | null;
  readonly env: Environment;
}

/** Where references lead on the platform. */
export type OpenSource = (connections: Connections, env: Environment) => SecretSource;

/** Loads the settings of an artefact; null when nothing asks for any, throws SvcError when they are not sound. */
export type LoadStartSettings = (start: ColdStart) => Promise<Settings | null>;

/** Whether the artefact may serve: null, or the answer that everybody gets instead. */
export type RequestGate = () => Promise<((request: Request) => Response) | null>;

/** What is not there yet may be there soon (a Vault that restarts), but not every request may ask for it. */
const RETRY_MS = 5_000;

/** Loads once for everybody; a failure is logged, holds for five seconds, and is then tried again. */
export function createGate(
  load: () => Promise<unknown>,
  log: Log,
  now: () => number = Date.now,
): RequestGate {
  let attempt: ReturnType<RequestGate> | null = null;
  let failedAt: number | null = null;
  const tried = async () => {
    try {
      await load();
      return null;
    } catch (thrown) {
      failedAt = now();
      const { code, message } = toSvcError(thrown);
      log({ level: 'error', message: `refusing to serve: ${message}`, fields: { code } });
      return refuse;
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

/** Says that there is no service, and nothing of the reason: that is for the log. */
function refuse({ url }: Request): Response {
  const message = 'The server is misconfigured.';
  const body = isMcpPath(new URL(url).pathname)
    ? { jsonrpc: '2.0', id: null, error: { code: -32603, message, data: { code: 'config_invalid' } } }
    : { error: 'config_invalid', message };
  return Response.json(body, { status: 503, headers: { 'cache-control': 'no-store' } });
}
