import * as v from 'valibot';
import { JSON_VALUE, PARAMETER, TYPE_NODE } from './type-schema.ts';

const TEXT = v.string();
const RECORD = v.record(v.string(), JSON_VALUE);
const ICON = v.strictObject({
  src: TEXT,
  mimeType: v.optional(TEXT),
  sizes: v.optional(v.array(TEXT)),
  theme: v.optional(v.picklist(['light', 'dark'])),
});

const POLICY_RULE = v.strictObject({
  condition: TEXT,
  action: v.picklist(['deny', 'filter_fields', 'mask_fields', 'filter_sensitive_fields']),
  reason: v.optional(TEXT),
  fields: v.optional(v.array(TEXT)),
});

const POLICIES = v.strictObject({
  input: v.nullish(v.array(POLICY_RULE)),
  output: v.nullish(v.array(POLICY_RULE)),
});

const TEST = v.strictObject({
  name: TEXT,
  description: v.optional(TEXT),
  arguments: v.optional(v.array(v.strictObject({ key: TEXT, value: JSON_VALUE }))),
  user_context: v.optional(RECORD),
  result: v.optional(JSON_VALUE),
  result_contains: v.optional(JSON_VALUE),
  result_not_contains: v.optional(v.array(TEXT)),
  result_contains_item: v.optional(JSON_VALUE),
  result_contains_all: v.optional(v.array(JSON_VALUE)),
  result_length: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  result_contains_text: v.optional(TEXT),
  denied: v.optional(v.boolean()),
  error_contains: v.optional(TEXT),
});

/** Keys that a tool, a resource and a prompt share. */
const COMMON = {
  title: v.optional(TEXT),
  description: v.optional(TEXT),
  tags: v.optional(v.array(TEXT)),
  icons: v.optional(v.array(ICON)),
  metadata: v.optional(RECORD),
  enabled: v.optional(v.boolean()),
  parameters: v.nullish(v.array(PARAMETER)),
  scopes: v.optional(v.array(TEXT)),
  policies: v.nullish(POLICIES),
  tests: v.nullish(v.array(TEST)),
};

/** Keys of what runs a source. */
const RUN = {
  language: v.optional(v.picklist(['sql', 'python'])),
  return: v.optional(TYPE_NODE),
  source: v.strictObject({
    code: v.optional(TEXT),
    file: v.optional(TEXT),
    language: v.optional(v.picklist(['sql', 'python'])),
  }),
  limits: v.optional(
    v.strictObject({
      rows: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1_000_000))),
      bytes: v.optional(v.pipe(v.number(), v.integer(), v.minValue(64), v.maxValue(64 * 1024 * 1024))),
      timeout: v.optional(v.pipe(v.number(), v.minValue(0.001), v.maxValue(900))),
    }),
  ),
};

const TOOL = v.strictObject({
  name: TEXT,
  ...COMMON,
  ...RUN,
  annotations: v.optional(
    v.strictObject({
      title: v.optional(TEXT),
      readOnlyHint: v.optional(v.boolean()),
      destructiveHint: v.optional(v.boolean()),
      idempotentHint: v.optional(v.boolean()),
      openWorldHint: v.optional(v.boolean()),
    }),
  ),
  mime_type: v.optional(TEXT),
  confirm: v.optional(TEXT),
});

const RESOURCE = v.strictObject({
  uri: TEXT,
  name: v.optional(TEXT),
  ...COMMON,
  ...RUN,
  mime_type: v.optional(TEXT),
});

const PROMPT = v.strictObject({
  name: TEXT,
  ...COMMON,
  return: v.optional(TYPE_NODE),
  messages: v.pipe(
    v.array(
      v.strictObject({
        role: v.optional(v.picklist(['user', 'assistant', 'system'])),
        type: v.optional(v.picklist(['text', 'resource'])),
        prompt: TEXT,
      }),
    ),
    v.minLength(1, 'must have at least one message'),
  ),
});

/** The body of an endpoint file by its kind (spec, "Endpoint definition files"). */
export const BODIES = { tool: TOOL, resource: RESOURCE, prompt: PROMPT } as const;

/** An endpoint file's top level; exactly one of the three kinds is there. */
export const ENDPOINT_FILE = v.strictObject({
  svc: v.optional(v.literal(1)),
  tool: v.optional(v.unknown()),
  resource: v.optional(v.unknown()),
  prompt: v.optional(v.unknown()),
  metadata: v.optional(RECORD),
});

export type ToolBody = v.InferOutput<typeof TOOL>;
export type ResourceBody = v.InferOutput<typeof RESOURCE>;
export type PromptBody = v.InferOutput<typeof PROMPT>;
