import * as v from 'valibot';
import { anything, flag, freeMap, listOf, optional, strictMap, text, whole, word } from './shape.ts';

/** One of an endpoint's `tests`, with every assertion. */
export const TEST = strictMap({
  name: word(),
  description: optional(text()),
  arguments: optional(listOf(strictMap({ key: word(), value: anything() }))),
  user_context: optional(freeMap()),
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
