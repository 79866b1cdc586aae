import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SvcError } from '../../src/errors.ts';
import type { Model } from '../../src/settings/model.ts';

/**
 * Loads a vendor's package, an optional peer dependency, beside svc or from `folder`. Throws `config_invalid`
 * with the command that installs it.
 */
export async function loadPackage<T>(
  name: string,
  load: () => Promise<T>,
  model: string,
  folder = process.cwd(),
): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if (!isMissing(cause, name)) throw cause;
    const path = pathIn(folder, name);
    if (path !== null) return await import(pathToFileURL(path).href);
    throw new SvcError(
      'config_invalid',
      `The model ${model} needs the package ${name}, which is not installed.\nRun \`npm install ${name}\`.`,
      { cause },
    );
  }
}

function isMissing(thrown: unknown, name: string): boolean {
  if (!(thrown instanceof Error) || !thrown.message.includes(name)) return false;
  return 'code' in thrown && /^(ERR_MODULE_NOT_FOUND|MODULE_NOT_FOUND)$/.test(String(thrown.code));
}

/**
 * Finds a package in a folder, because a svc that is installed globally does not see the packages of a project.
 */
function pathIn(folder: string, name: string): string | null {
  try {
    return createRequire(join(folder, 'package.json')).resolve(name);
  } catch {
    return null;
  }
}

/** Models answer within seconds; those that think may take a minute. */
const TIMEOUT_S = 60;
const RETRIES = 2;
/** The key for self-hosted services that need none. */
const NO_KEY = 'none';

/** Options of both vendors' clients. */
interface ModelClientOptions {
  readonly apiKey: string;
  readonly baseURL: string;
  /** Milliseconds of one attempt. */
  readonly timeout: number;
  readonly maxRetries: number;
  /** The packages would log the request bodies. */
  readonly logLevel: 'off';
  readonly fetch: typeof fetchWhole;
}

/**
 * Returns the options of a model's client. The vendor's environment variables have no effect. Throws
 * `config_invalid` for a model without key and address.
 */
export function toClientOptions(name: string, model: Model, address: string): ModelClientOptions {
  const { api_key, base_url, timeout, max_retries } = model;
  if (api_key === null && base_url === null) {
    throw new SvcError(
      'config_invalid',
      `The model ${name} has no key.\nSet \`models.${name}.api_key\` in the user file, preferably as a reference such as \${API_KEY}.`,
    );
  }
  return {
    apiKey: api_key ?? NO_KEY,
    baseURL: base_url ?? address,
    timeout: (timeout ?? TIMEOUT_S) * 1_000,
    maxRetries: max_retries ?? RETRIES,
    logLevel: 'off',
    fetch: fetchWhole,
  };
}

/**
 * Fetches an answer with its whole body. The packages stop their clock at the headers, so a service that stalls in the
 * middle of an answer would exceed `timeout` and never be asked again.
 */
async function fetchWhole(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request);
  const { status, statusText, headers } = response;
  const body = await response.arrayBuffer();
  return new Response(body.byteLength === 0 ? null : body, { status, statusText, headers });
}
