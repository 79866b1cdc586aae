import * as v from 'valibot';
import {
  FILE_FORMATS,
  ICON_THEMES,
  POLICY_ACTIONS,
  type Policies,
  PROMPT_ROLES,
  PROMPT_TYPES,
  TEXT_FORMATS,
  TOOL_CONTENTS,
  VIEW_KINDS,
} from '../model.ts';
import { ASK, CONFIRM } from './elicitation.ts';
import {
  anything,
  choice,
  flag,
  formed,
  freeMap,
  listOf,
  mapOf,
  number,
  optional,
  present,
  says,
  strictMap,
  text,
  VERSION_ONE,
  whole,
  word,
} from './shape.ts';
import { PARAMETERS, RETURN } from './type-node.ts';
import { USER_CONTEXT } from './user-context.ts';

/** One of an endpoint's `tests`, with every assertion. */
const TEST = strictMap({
  name: word(),
  description: optional(text()),
  arguments: optional(listOf(strictMap({ key: word(), value: anything() }))),
  user_context: optional(USER_CONTEXT),
  result: v.optional(anything()),
  result_contains: v.optional(anything()),
  result_not_contains: optional(listOf(text())),
  result_contains_item: v.optional(anything()),
  result_contains_all: optional(listOf(anything())),
  result_length: optional(whole(0)),
  result_contains_text: optional(text()),
  denied: optional(flag()),
  error_contains: optional(word()),
});

const NAME = formed(
  /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_.-]{0,63}$/,
  'a name of 1 to 64 letters, digits, `_`, `.` and `-` that begins with a letter or `_`',
  'Write a name such as `top_products`.',
);

const ICON = strictMap({
  src: formed(
    /^(https:\/\/|data:image\/)\S+$/,
    'an https: or data: address of an image',
    'Write the full address.',
  ),
  mime_type: optional(word()),
  sizes: optional(listOf(formed(/^(any|\d+x\d+)$/, 'a size such as 48x48, or any', 'Write width x height.'))),
  theme: optional(choice(ICON_THEMES)),
});

/** Limits on the data that a statement scans; in an endpoint, and in the site file for all endpoints. */
export const SCAN_LIMITS = { scan_rows: optional(whole(1)), scan_bytes: optional(whole(1)) };

const LIMITS = strictMap({
  rows: optional(whole(1, 1_000_000)),
  bytes: optional(whole(1_024, 1_073_741_824)),
  /** Seconds. */
  timeout: optional(
    v.pipe(
      number(),
      v.check(
        (seconds) => seconds > 0 && seconds <= 3_600,
        says(
          'wrong-value',
          'must be more than 0 and at most 3600 seconds.',
          'Write the time limit of a statement in seconds.',
        ),
      ),
      v.metadata({ json: { exclusiveMinimum: 0, maximum: 3_600 } }),
    ),
  ),
  ...SCAN_LIMITS,
});

const CACHE = strictMap({
  ttl: formed(
    /^[1-9]\d{0,3}[smh]$/,
    'a time of at most four digits with its unit',
    'Write one such as 30s, 5m or 1h.',
  ),
});

/** One rule of `policies`. */
export const RULE = strictMap({
  condition: word(),
  action: choice(POLICY_ACTIONS),
  reason: optional(text()),
  fields: optional(listOf(text())),
});

/** `policies` of an endpoint. */
export const POLICIES = strictMap({ input: optional(listOf(RULE)), output: optional(listOf(RULE)) });

/** The scopes that a caller must hold. */
export const SCOPES = listOf(
  formed(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'a scope without blanks', 'List each scope as an item.'),
);

/** A tag, as a list with commas can name it. */
const TAG = formed(
  /^[^\s,](?:[^,]*[^\s,])?$/,
  'a tag without commas, and without blanks around it',
  'List each tag as an item.',
);

const SHARED = {
  title: optional(word()),
  description: optional(text()),
  tags: optional(listOf(TAG)),
  icons: optional(listOf(ICON)),
  enabled: optional(flag()),
  scopes: optional(SCOPES),
  parameters: optional(PARAMETERS),
  policies: optional(POLICIES),
  tests: optional(listOf(TEST)),
  limits: optional(LIMITS),
  confirm: optional(CONFIRM),
  ask: optional(ASK),
};

const LANGUAGE = optional(choice(['sql', 'python']));

const SOURCED = {
  return: optional(RETURN),
  cache: optional(CACHE),
  language: LANGUAGE,
  source: v.pipe(
    strictMap({ code: optional(word()), file: optional(word()), language: LANGUAGE }),
    v.check(
      ({ code, file }) => (code ?? null) === null || (file ?? null) === null,
      says('source', 'has both `code` and `file`.', 'Keep one of them.'),
    ),
    v.check(
      ({ code, file }) => (code ?? file ?? null) !== null,
      says(
        'source',
        'has neither `code` nor `file`.',
        'Write the SQL under `code`, or name its file under `file`.',
      ),
    ),
    v.metadata({ json: { oneOf: [{ required: ['code'] }, { required: ['file'] }] } }),
  ),
};

const TOOL_KEYS = {
  name: NAME,
  ...SHARED,
  annotations: optional(
    strictMap({
      title: optional(word()),
      readOnlyHint: optional(flag()),
      destructiveHint: optional(flag()),
      idempotentHint: optional(flag()),
      openWorldHint: optional(flag()),
    }),
  ),
  mime_type: optional(
    formed(
      /^(image|audio)\/[\w.+-]+$/,
      'the media type of an image or a sound',
      'Write one such as image/png.',
    ),
  ),
  content: optional(choice(TOOL_CONTENTS)),
  format: optional(choice(TEXT_FORMATS)),
  view: optional(choice(VIEW_KINDS)),
  large_result: optional(
    strictMap({
      rows: optional(whole(1, 1_000_000)),
      format: optional(choice(FILE_FORMATS)),
      minutes: optional(whole(1, 1_440)),
    }),
  ),
  ...SOURCED,
};

const TOOL = strictMap(TOOL_KEYS);

const RESOURCE_KEYS = {
  uri: word(),
  name: optional(word()),
  completion: optional(mapOf(word())),
  mime_type: optional(
    formed(/^[\w.+-]+\/[\w.+-]+(\s*;.*)?$/, 'a media type', 'Write one such as application/json.'),
  ),
  ...SHARED,
  ...SOURCED,
};

const RESOURCE = strictMap(RESOURCE_KEYS);

const MESSAGES = v.pipe(
  listOf(
    strictMap({ prompt: text(), role: optional(choice(PROMPT_ROLES)), type: optional(choice(PROMPT_TYPES)) }),
  ),
  v.check(
    (messages) => messages.length > 0,
    says('wrong-value', 'must not be empty.', 'Write at least one message.'),
  ),
  v.metadata({ json: { minItems: 1 } }),
);

const PROMPT_KEYS = {
  name: NAME,
  ...SHARED,
  completion: optional(mapOf(word())),
  return: optional(RETURN),
  messages: MESSAGES,
};

const PROMPT = strictMap(PROMPT_KEYS);

/** Fixes for keys of an endpoint that stand beside it, because their lines lack the indentation. */
const INDENT = Object.fromEntries(
  Object.keys({ ...TOOL_KEYS, ...RESOURCE_KEYS, ...PROMPT_KEYS }).map((key) => {
    const kinds = Object.entries({ tool: TOOL_KEYS, resource: RESOURCE_KEYS, prompt: PROMPT_KEYS });
    const names = kinds.flatMap(([kind, keys]) => (Object.hasOwn(keys, key) ? [`\`${kind}\``] : []));
    return [key, `Indent it, so that it stands below ${names.join(' or ')}.`];
  }),
);

/** An endpoint file: `svc`, `metadata`, and one of `tool`, `resource`, `prompt` (spec, "Endpoint definition files"). */
export const ENDPOINT_FILE = strictMap(
  {
    svc: optional(VERSION_ONE),
    tool: optional(TOOL),
    resource: optional(RESOURCE),
    prompt: optional(PROMPT),
    metadata: optional(freeMap()),
  },
  INDENT,
);

type ParsedPolicies = v.InferOutput<typeof POLICIES>;
export type ParsedEndpointFile = v.InferOutput<typeof ENDPOINT_FILE>;
export type ParsedTool = v.InferOutput<typeof TOOL>;
export type ParsedResource = v.InferOutput<typeof RESOURCE>;
export type ParsedPrompt = v.InferOutput<typeof PROMPT>;

/** Converts the written rules; a missing list is empty. */
export function toPolicies(policies: ParsedPolicies | null | undefined): Policies {
  return { input: (policies?.input ?? []).map(present), output: (policies?.output ?? []).map(present) };
}
