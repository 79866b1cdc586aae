/** The lines of a text, without the blanks around them: programs print a text line by line, and trim it. */
export function splitLines(text: string, most?: number): readonly string[] {
  return text.split(/[\r\n]+/, most).map((line) => line.trim());
}

/** A text that has only one form. */
const PLAIN = /^[\w.~-]*$/;

/**
 * The forms in which programs write a text: plain, quoted by JSON and by Python's `repr`, and percent-encoded, also in a
 * query, where a space may be `+`. No form is shorter than the text.
 */
export function formsOf(text: string): readonly string[] {
  if (PLAIN.test(text)) return [text];
  const json = JSON.stringify(text).slice(1, -1);
  const repr = toRepr(text);
  return [
    ...new Set([text, json, toAscii(json), repr, repr.replaceAll("'", "\\'"), ...percentEncoded(text)]),
  ];
}

/** JSON as Python's `json.dumps` writes it, with escapes for all characters beyond ASCII. */
function toAscii(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${hexOf(unit.charCodeAt(0), 4)}`);
}

/** Python escapes the backslash and all characters that are not printable; quotes only within the same quotes. */
function toRepr(text: string): string {
  return text.replace(/(?! )[\\\p{C}\p{Z}]/gu, (character) => {
    const short = SHORT_ESCAPES[character];
    if (short !== undefined) return short;
    const code = character.codePointAt(0) ?? 0;
    if (code <= 0xff) return `\\x${hexOf(code, 2)}`;
    return code <= 0xffff ? `\\u${hexOf(code, 4)}` : `\\U${hexOf(code, 8)}`;
  });
}

const SHORT_ESCAPES: { readonly [character: string]: string } = {
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function hexOf(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

/** JavaScript leaves `!'()*` as they are. Python encodes them, and `urllib.parse.quote` leaves slashes. */
function percentEncoded(text: string): readonly string[] {
  // Half of a surrogate pair cannot be encoded.
  const sound = text.toWellFormed();
  const component = encodeURIComponent(sound);
  const quoted = component.replace(/[!'()*]/g, (mark) => `%${hexOf(mark.charCodeAt(0), 2).toUpperCase()}`);
  const all = [component, quoted, quoted.replaceAll('%2F', '/'), encodeURI(sound)];
  return [...all, ...all.map((form) => form.replaceAll('%20', '+'))];
}
