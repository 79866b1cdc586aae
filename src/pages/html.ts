import { html as escaped, raw } from 'hono/html';

/** HTML that is safe to send: made by `html`, or by `trusted` from text of our own. */
export type Html = ReturnType<typeof escaped>;

/** A value in a template; null and undefined print nothing, lists are joined without a separator. */
export type Value = string | number | Html | readonly Value[] | null | undefined;

/**
 * A template whose values are text, whatever they hold.
 *
 * @example html`<h1>${project}</h1>`
 */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return escaped(parts, ...values.map(toVisible));
}

/** Our own markup, style or script, sent as it is. Never for a text from outside of this source tree. */
export function trusted(text: string): Html {
  return raw(text);
}

/** Replaces characters that nobody sees, or that make text run backwards, by spaces; lines and tabs stay. */
function toVisible(value: Value): unknown {
  if (typeof value === 'string') return value.replaceAll(/(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ');
  return Array.isArray(value) ? value.map(toVisible) : value;
}
