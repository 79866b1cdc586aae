import * as v from 'valibot';
import {
  formed,
  freeMap,
  listOf,
  listOrOne,
  optional,
  says,
  strictMap,
  text,
  VERSION_ONE,
  whole,
  word,
} from '../../project/schema/shape.ts';
import { USER_CONTEXT } from '../../project/schema/user-context.ts';

const NAME = formed(
  /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/,
  'a name of 1 to 64 letters, digits, `_` and `-` that begins with a letter or `_`',
  'Write a name such as `finds_customers`; it becomes part of file names.',
);

const PATTERN = v.pipe(
  word(),
  v.check(
    isPattern,
    says(
      'wrong-value',
      'is not a valid regular expression of JavaScript.',
      'Escape special characters with `\\`.',
    ),
  ),
);

function isPattern(text: string): boolean {
  try {
    new RegExp(text, 'u');
    return true;
  } catch {
    return false;
  }
}

const ASSERTIONS = strictMap({
  must_call: optional(listOf(strictMap({ tool: word(), args: optional(freeMap()) }))),
  must_not_call: optional(listOrOne(word())),
  must_call_in_order: optional(listOf(word())),
  max_calls: optional(whole(0, 1_000)),
  answer_contains: optional(listOrOne(word())),
  answer_not_contains: optional(listOrOne(word())),
  answer_matches: optional(listOrOne(PATTERN)),
});

const TEST = strictMap({
  name: NAME,
  description: optional(text()),
  prompt: word(),
  user_context: optional(USER_CONTEXT),
  assertions: optional(ASSERTIONS),
});

const LIMITS = strictMap({
  turns: optional(whole(1, 100)),
  result_bytes: optional(whole(1_024, 10_485_760)),
  tokens: optional(whole(1, 1_000_000)),
});

/** A file below `evals/`. */
export const SUITE_FILE = strictMap({
  svc: VERSION_ONE,
  suite: NAME,
  description: optional(text()),
  model: optional(word()),
  system: optional(word()),
  offer: optional(listOrOne(word())),
  limits: optional(LIMITS),
  tests: v.pipe(
    listOf(TEST),
    v.check(
      (tests) => tests.length > 0,
      says('wrong-value', 'must not be empty.', 'Write at least one test.'),
    ),
    v.metadata({ json: { minItems: 1 } }),
  ),
});

export type ParsedSuiteFile = v.InferOutput<typeof SUITE_FILE>;
