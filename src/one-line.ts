/**
 * Makes one line of a text that others may have chosen. Control and format characters become spaces, so that it can
 * neither pretend to be several lines nor command a terminal.
 */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
}

/** JSON for a log that may be read on a terminal: the characters that `oneLine` removes are escapes, which mean the same. */
export function jsonLine(value: object): string {
  return JSON.stringify(value).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (found) =>
    found.split('').map(toEscape).join(''),
  );
}

function toEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
