/** The most characters of one text in a record. */
export const MAX_TEXT = 1_024;
/** The most items of one list, and the most keys of one object. */
export const MAX_PARTS = 100;
/** The most levels of one value. */
export const MAX_LEVELS = 12;
/** The most characters of all parameters of a call, and of its result. */
export const MAX_VALUE = 8_192;

/** Truncates a text to `limit` characters without splitting a character, and states how many are missing. */
export function cutText(text: string, limit: number, already = 0): string {
  const lost = Math.max(0, text.length - limit) + already;
  const shown = lost === 0 ? text : `${text.slice(0, limit)}${missing(lost, 'character')}`;
  return shown.isWellFormed() ? shown : shown.toWellFormed();
}

/** The note that replaces a missing part of a record. */
export function missing(many: number, noun: string): string {
  return `[CUT: ${many} more ${noun}${many === 1 ? '' : 's'}]`;
}
