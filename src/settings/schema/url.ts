import * as v from 'valibot';
import { says, word } from '../../project/schema/shape.ts';

/** An http or https address. */
export function url() {
  return v.pipe(
    word(),
    v.check(
      (value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol),
      says('wrong-value', 'must be an address.', 'Write a complete address such as https://example.com.'),
    ),
    v.metadata({ kind: 'address' }),
  );
}
