import type { SecretReference } from '../../ports.ts';

/** A text of the user file, split at its references. */
export type ReferenceText =
  | { readonly kind: 'literal' }
  /** Literal parts and environment variables. With a scheme, the joined text is the reference. */
  | { readonly kind: 'reference'; readonly parts: readonly Part[]; readonly scheme: Scheme | null }
  | { readonly kind: 'refused'; readonly message: string; readonly fix: string };

type Part = { readonly text: string } | { readonly variable: string };
type Scheme = 'vault' | 'op' | 'file';

/** A parsed reference, or the reason why the text is not one. */
type ParsedReference =
  | { readonly reference: SecretReference }
  | { readonly message: string; readonly fix: string };

const SCHEME = /^(vault|op|file):\/\//;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Finds the references in a text: `${VAR}` anywhere, or one scheme for the whole
 * text. `parseReferences('Bearer ${TOKEN}')` has a literal part and a variable.
 */
export function parseReferences(text: string): ReferenceText {
  const parts: Part[] = [];
  let rest = text;
  for (let start = rest.indexOf('${'); start !== -1; start = rest.indexOf('${')) {
    const end = rest.indexOf('}', start);
    const name = rest.slice(start + 2, end === -1 ? undefined : end);
    if (end === -1 || !NAME.test(name)) return refuse(name, end !== -1);
    if (start > 0) parts.push({ text: rest.slice(0, start) });
    parts.push({ variable: name });
    rest = rest.slice(end + 1);
  }
  if (rest !== '') parts.push({ text: rest });
  const scheme = (SCHEME.exec(text)?.[1] ?? null) as Scheme | null;
  if (scheme === null && !parts.some((part) => 'variable' in part)) return { kind: 'literal' };
  const parsed = scheme === null ? null : parseReference(text);
  if (parsed !== null && 'message' in parsed) return { kind: 'refused', ...parsed };
  return { kind: 'reference', parts, scheme };
}

function refuse(name: string, closed: boolean): ReferenceText {
  if (closed && /^[A-Za-z_][A-Za-z0-9_]*:?[-=?+]/.test(name)) {
    return {
      kind: 'refused',
      message: 'gives an environment variable a default, which would hide that the variable is missing.',
      fix: 'Write `${NAME}` and set the variable, or write the value itself.',
    };
  }
  return {
    kind: 'refused',
    message: 'has a `${` that does not begin an environment variable.',
    fix: 'Write `${NAME}` with letters, digits and `_`. Move a value that contains `${` to a file or a variable, and refer to that.',
  };
}

/** Parses a text with a scheme, such as `vault://mount/path#field`. */
export function parseReference(text: string): ParsedReference {
  const scheme = SCHEME.exec(text)?.[1];
  const rest = text.replace(SCHEME, '');
  if (scheme === 'vault') return parseVault(rest);
  if (scheme === 'op') return parseOp(rest);
  if (rest !== '' && !rest.includes('\0')) return { reference: { scheme: 'file', path: rest } };
  return {
    message: 'does not name a file.',
    fix: 'Write `file://` and a path, such as `file:///run/secrets/token`.',
  };
}

function parseVault(rest: string): ParsedReference {
  const [path = '', field = '', ...more] = rest.split('#');
  const steps = path.replace(/^\/+|\/+$/g, '').split('/');
  const sound = steps.length > 1 && steps.every((step) => !/^\.{0,2}$/.test(step) && !/[?\0]/.test(step));
  if (sound && field !== '' && more.length === 0) {
    return { reference: { scheme: 'vault', path: steps.join('/'), field } };
  }
  return {
    message: 'is not a valid reference to a secret of Vault.',
    fix: 'Write `vault://mount/path#field`, such as `vault://secret/warehouse#password`.',
  };
}

function parseOp(rest: string): ParsedReference {
  const [path = '', query, ...more] = rest.split('?');
  const steps = path.split('/');
  const otp = /^attribute=(otp|totp)$/.test(query ?? '');
  const [vault = '', item = '', ...last] = steps;
  const [section, field = ''] = last.length === 2 ? last : [null, last[0]];
  const sound = [3, 4].includes(steps.length) && steps.every((step) => step.trim() !== '');
  if (sound && more.length === 0 && (otp || query === undefined)) {
    return { reference: { scheme: 'op', vault, item, section: section ?? null, field, otp } };
  }
  return {
    message: 'is not a valid reference to a field of 1Password.',
    fix: 'Write `op://vault/item/field`, with `?attribute=otp` for a one-time password.',
  };
}
