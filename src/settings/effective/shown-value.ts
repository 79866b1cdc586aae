import type { JsonValue } from '../../json.ts';
import type { Path } from '../../project/yaml/position.ts';
import { REDACTED } from '../references/concealment.ts';
import { nodeAt } from '../schema/node.ts';
import { ACTIVE_USER } from '../schema/user.ts';

/** Kinds of values that cannot contain a secret. */
const PLAIN = ['number', 'boolean', 'choice'];

/** The displayable form of a value of the active part. A resolved value is shown as its reference. */
export function toShownValue(path: Path, value: JsonValue, reference: string | null): JsonValue {
  const node = nodeAt(ACTIVE_USER, path);
  if (node === null || node.hidden) return reference === null ? REDACTED : `${REDACTED} ${reference}`;
  const type = node.kind === 'leaf' ? node.type : 'any';
  if (reference !== null) return PLAIN.includes(type) ? value : `${REDACTED} ${reference}`;
  return type === 'address' && typeof value === 'string' ? withoutCredentials(value) : value;
}

/** Removes possible credentials from an address. */
function withoutCredentials(address: string): string {
  if (!URL.canParse(address)) return REDACTED;
  const url = new URL(address);
  const plain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (plain) return address;
  return `${url.protocol}//${url.host}${url.pathname} ${REDACTED}`;
}
