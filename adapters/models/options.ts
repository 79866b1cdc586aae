import { SvcError } from '../../src/errors.ts';
import type { Model } from '../../src/settings/model.ts';

/** Models answer in seconds; one that thinks takes a minute. */
const TIMEOUT_S = 60;
const RETRIES = 2;
/** Services of one's own that ask for no key get this one. */
const NO_KEY = 'none';

/** What both vendors' clients are made with. */
export interface ModelClientOptions {
  readonly apiKey: string;
  readonly baseURL: string;
  /** Milliseconds of one try. */
  readonly timeout: number;
  readonly maxRetries: number;
  /** The packages would write what is sent. */
  readonly logLevel: 'off';
}

/** The options of a model's client; nothing of them comes from variables of the vendor's. */
export function toClientOptions(name: string, model: Model, address: string): ModelClientOptions {
  const { api_key, base_url, timeout, max_retries } = model;
  if (api_key === null && base_url === null) {
    throw new SvcError(
      'config_invalid',
      `The model ${name} has no key.\nSet \`models.${name}.api_key\` in the user file, best as a reference such as \${API_KEY}.`,
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
