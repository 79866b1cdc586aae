/** HTML that is safe to send: made by `html`, never from text alone. */
export interface Html {
  readonly html: string;
}

/** A template whose values are escaped, whatever they hold; lists are joined. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return { html: parts.reduce((text, part, index) => `${text}${toText(values[index - 1])}${part}`) };
}

type Value = string | Html | readonly Html[] | null | undefined;

function toText(value: Value): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return toSafe(value);
  return 'html' in value ? value.html : value.map((one) => one.html).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Also takes away what would make text run backwards or hide in it. */
function toSafe(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ')
    .replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? '');
}
