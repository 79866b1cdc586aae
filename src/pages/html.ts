import { html as escaped, raw } from 'hono/html';

/** HTML that is safe to send, made by `html` or by `trusted`. */
export type Html = ReturnType<typeof escaped>;

/** A value in a template. Null and undefined print nothing, and lists are joined without a separator. */
type HtmlValue = string | number | Html | readonly HtmlValue[] | null | undefined;

/**
 * A template that escapes its values.
 *
 * @example html`<h1>${project}</h1>`
 */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return escaped(parts, ...values.map(toVisible));
}

/** Sends our own markup, style or script without escaping. Never use it for text from outside this source tree. */
export function trusted(text: string): Html {
  return raw(text);
}

/** Replaces invisible characters and those that reverse text by spaces. Line breaks and tabs stay. */
function toVisible(value: HtmlValue): unknown {
  if (typeof value === 'string') return value.replaceAll(/(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ');
  return Array.isArray(value) ? value.map(toVisible) : value;
}
