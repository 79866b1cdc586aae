/**
 * Makes one line of a text that others may have chosen. Control and format characters become spaces, so that it can
 * neither pretend to be several lines nor command a terminal.
 */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
}
