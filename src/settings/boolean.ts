/** Parses `true`, `1`, `yes`, `on` and their opposites; null for any other text. */
export function toBoolean(text: string): boolean | null {
  if (/^(1|true|yes|on)$/i.test(text)) return true;
  return /^(0|false|no|off)$/i.test(text) ? false : null;
}
