import * as v from 'valibot';
import { SvcError } from '../../src/errors.ts';
import type { JsonObject } from '../../src/json.ts';
import { ENDPOINT_KINDS } from '../../src/project/model.ts';

/* The bodies that the page sends. */

const json = v.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);
const name = v.pipe(v.string(), v.minLength(1), v.maxLength(2_000));

export const CALL = v.strictObject({
  kind: v.picklist(ENDPOINT_KINDS),
  name,
  arguments: json,
  user: v.union([v.null(), v.string(), json]),
  answers: v.exactOptional(json),
});

export const TESTS = v.strictObject({ endpoint: name });

const TEST_DRAFT = {
  endpoint: name,
  name,
  arguments: json,
  user_context: v.nullable(json),
  expect: v.union([
    v.strictObject({ result: v.custom<JsonObject[string]>((value) => value !== undefined) }),
    v.strictObject({ denied: v.literal(true) }),
  ]),
};

export const DRAFT = v.strictObject(TEST_DRAFT);
export const SAVE = v.strictObject({ ...TEST_DRAFT, hash: v.string() });

const MOST_BYTES = 1_048_576;

/** Reads the body of a request. Throws `usage` for one that the page would not send. */
export async function readRequestBody<Schema extends v.GenericSchema>(
  request: Request,
  schema: Schema,
): Promise<v.InferOutput<Schema>> {
  const text = await request.text();
  if (text.length > MOST_BYTES) throw new SvcError('usage', 'The request is longer than 1 MiB.');
  const parsed = v.safeParse(schema, toJson(text));
  if (parsed.success) return parsed.output;
  throw new SvcError('usage', parsed.issues.map(({ message }) => message).join(' '));
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SvcError('usage', 'The request is no JSON.', { cause });
  }
}
