import { writtenTokens } from './lexer.ts';

/**
 * Why callers' statements may not use the type VARIANT. DuckDB 1.5 leaves the memory behind each NULL of a list, an array
 * or a map as it was when it makes a VARIANT of it: up to 16 bytes, which may be another caller's data. Texts and JSON of
 * the value leave them out, but comparisons, `hash` and `create_sort_key` read them.
 */
export const VARIANT_REFUSED =
  'It uses the type VARIANT, with which DuckDB may show parts of its memory: use JSON';

/** Whether a statement may use the type VARIANT: a column, a table or a field of this name is none. In doubt it does. */
export function usesVariant(sql: string): boolean {
  if (!/variant/i.test(sql)) return false;
  const tokens = writtenTokens(sql);
  const texts = tokens.map(({ text }) => text.toLowerCase());
  const openers: number[] = [];
  return texts.some((text, at) => {
    if (text === '(' || text === '[' || text === '{') openers.push(at);
    if (text === ')' || text === ']' || text === '}') openers.pop();
    if (text !== 'variant' && text !== '"variant"') return false;
    if (tokens[at + 1]?.kind === 'string') return true;
    return isTypePlace(texts, beginOfName(texts, at), openers.at(-1) ?? -1);
  });
}

/** The place of the first word of a type such as `main.variant`. `SETOF` before it has no meaning. */
function beginOfName(texts: readonly string[], at: number): number {
  let first = at;
  while (texts[first - 1] === '.') first -= 2;
  return texts[first - 1] === 'setof' ? first - 1 : first;
}

/** Whether a type may begin at a place, by the tokens before it and before the bracket around it. */
function isTypePlace(texts: readonly string[], at: number, opener: number): boolean {
  const before = texts[at - 1] ?? '';
  if (before === ':' && texts[at - 2] === ':') return true;
  const around = texts[opener] === '(' ? (texts[opener - 1] ?? '') : '';
  if (around === 'cast' || around === 'try_cast') return before === 'as';
  if (around === 'map') return before === '(' || before === ',';
  // `UNION (SELECT …)` is no type.
  if (around === 'union') return isName(before) && !QUERY.test(texts[opener + 1] ?? '');
  return (around === 'struct' || around === 'row') && isName(before);
}

/** Whether a token may be the name of a field, before its type. */
function isName(text: string): boolean {
  return /^[a-z_"\u0080-\uffff]/.test(text);
}

const QUERY = /^(?:select|from|with|values|table|\()$/;

/** DuckDB's functions that take or make a VARIANT. */
export const VARIANT_FUNCTIONS = 'variant_(?:bytes_to_variant|extract|normalize|to_parquet_variant|typeof)';

/** Functions that take a type from the text of a structure. */
export const STRUCTURED = /^"?(?:from_json|json_transform)(?:_strict)?"?$/i;

/** Found in the name of a type whose values are or contain a VARIANT. */
export const VARIANT_TYPE = '(^|[ (])VARIANT([,)[]|$)';
const NAME_OF_VARIANT = new RegExp(VARIANT_TYPE);

/** Whether values of a type, by its name in DuckDB, are or contain a VARIANT. */
export function isVariantType(type: string): boolean {
  return NAME_OF_VARIANT.test(type);
}
