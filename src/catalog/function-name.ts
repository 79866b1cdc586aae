import { parseUriTemplate } from '../project/uri.ts';

/** Python's reserved words. */
const KEYWORDS = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);

/**
 * The function of a Python endpoint. It has the endpoint's name, with `_` for
 * characters that Python names cannot have. A resource without a `name` uses
 * its URI without placeholders: `shop://customers/{id}` is `shop_customers`.
 */
export function functionNameOf({ name, uri }: { readonly name: string; readonly uri?: string }): string {
  const plain =
    uri !== undefined && name === uri ? toWord(literalsOf(uri)).replaceAll(/^_+|_+$/g, '') : toWord(name);
  const named = /^\p{N}/u.test(plain) || plain === '' ? `_${plain}` : plain;
  return KEYWORDS.has(named) ? `${named}_` : named;
}

function toWord(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}_]+/gu, '_');
}

function literalsOf(uri: string): string {
  const parsed = parseUriTemplate(uri);
  return 'problem' in parsed ? uri : parsed.template.literals.join(' ');
}
