import * as v from 'valibot';
import {
  choice,
  flag,
  listOf,
  mapOf,
  number,
  optional,
  says,
  strictMap,
  text,
  VERSION_ONE,
  whole,
  word,
} from '../../project/schema/shape.ts';
import { TRANSPORT_NAMES } from '../../transports.ts';
import { AUTH } from './auth.ts';
import { hiddenParameters, hiddenTexts, hiddenWord, openMap, url } from './values.ts';

export const LOG_LEVELS = ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'] as const;
const LEVELS_MEANT = { debug: 'DEBUG', info: 'INFO', warn: 'WARNING', WARN: 'WARNING', error: 'ERROR' };
/** `auto` is text for people on a terminal, and JSON elsewhere. */
export const LOG_FORMATS = ['auto', 'human', 'json'] as const;
export const MODEL_TYPES = ['claude', 'openai'] as const;

/** The price of a million tokens. */
const PRICE = v.pipe(
  number(),
  v.check(
    (price) => price >= 0,
    says('wrong-value', 'must not be less than 0.', 'Write the price of a million tokens.'),
  ),
);

const MODEL = strictMap({
  type: choice(MODEL_TYPES),
  model: optional(word()),
  api_key: optional(hiddenWord()),
  base_url: optional(url()),
  timeout: optional(whole(1)),
  max_retries: optional(whole(0)),
  prices: optional(strictMap({ input: PRICE, output: PRICE, currency: optional(word()) })),
});

const SECRET = strictMap({ name: word(), type: word(), parameters: optional(hiddenParameters()) });

const TELEMETRY = strictMap({
  enabled: optional(flag()),
  endpoint: optional(url()),
  headers: optional(hiddenTexts()),
  service_name: optional(word()),
  service_version: optional(word()),
  environment: optional(word()),
  resource_attributes: optional(mapOf(text())),
  tracing: optional(strictMap({ enabled: optional(flag()), console_export: optional(flag()) })),
  metrics: optional(strictMap({ enabled: optional(flag()), export_interval: optional(whole(1)) })),
});

const RATE_LIMIT = strictMap({ requests_per_minute: optional(whole(0)), burst: optional(whole(1)) });

/** The block of one profile of a project in the user file. */
const USER_PROFILE = strictMap({
  secrets: optional(listOf(SECRET)),
  plugin: optional(strictMap({ config: optional(mapOf(hiddenTexts())) })),
  auth: optional(AUTH),
  telemetry: optional(TELEMETRY),
});

/** The blocks of the user file that apply to every project. */
const SHARED = {
  vault: optional(
    strictMap({
      enabled: optional(flag()),
      address: optional(url()),
      token_env: optional(word()),
      namespace: optional(word()),
    }),
  ),
  onepassword: optional(
    strictMap({
      enabled: optional(flag()),
      token_env: optional(word()),
      connect_host: optional(url()),
      connect_token_env: optional(word()),
    }),
  ),
  transport: optional(
    strictMap({
      provider: optional(choice(TRANSPORT_NAMES)),
      http: optional(
        strictMap({
          port: optional(whole(0, 65_535)),
          host: optional(word()),
          scheme: optional(choice(['http', 'https'])),
          base_url: optional(url()),
          trust_proxy: optional(flag()),
          allowed_hosts: optional(listOf(word())),
          allowed_origins: optional(listOf(word())),
          stateless: optional(flag()),
          rate_limit: optional(RATE_LIMIT),
        }),
      ),
    }),
  ),
  models: optional(openMap({ default: optional(word()), models: optional(mapOf(MODEL)) }, MODEL)),
  logging: optional(
    strictMap({
      enabled: optional(flag()),
      path: optional(word()),
      level: optional(choice(LOG_LEVELS, LEVELS_MEANT)),
      format: optional(choice(LOG_FORMATS)),
      max_bytes: optional(whole(1_024)),
      backup_count: optional(whole(0, 1_000)),
    }),
  ),
};

/** `~/.svc/config.yml` (spec, "User configuration file"). */
export const USER_FILE = strictMap({
  svc: VERSION_ONE,
  ...SHARED,
  projects: optional(mapOf(optional(strictMap({ profiles: optional(mapOf(optional(USER_PROFILE))) })))),
});

/** The user file reduced to one profile. */
export const ACTIVE_USER = strictMap({ ...SHARED, profile: optional(USER_PROFILE) });

export type ParsedActive = v.InferOutput<typeof ACTIVE_USER>;
export type ParsedModel = v.InferOutput<typeof MODEL>;
export type ParsedRateLimit = v.InferOutput<typeof RATE_LIMIT>;
