import { SvcError } from '../../src/errors.ts';
import type { Model } from '../../src/settings/model.ts';

/** Models answer within seconds; those that think may take a minute. */
const TIMEOUT_S = 60;
const RETRIES = 2;
/** The key for self-hosted services that need none. */
const NO_KEY = 'none';

/** Options of both vendors' clients. */
export interface ModelClientOptions {
  readonly apiKey: string;
  readonly baseURL: string;
  /** Milliseconds of one attempt. */
  readonly timeout: number;
  readonly maxRetries: number;
  /** The packages would log the request bodies. */
  readonly logLevel: 'off';
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
  };
}
