import { SvcError } from '../../../src/errors.ts';
import { isSqlList, type SqlValue } from '../../../src/sql-value.ts';

/** DuckDB's functions of JSON recurse. A document of about 20,000 levels overflows the stack of a thread, which ends the process. */
const MOST_LEVELS = 1_000;

/** Throws `arguments_invalid` for a value with a text that DuckDB could read as JSON with too many levels. */
export function enforceJsonDepth(value: SqlValue): void {
  if (typeof value === 'string') {
    if (value.length > 2 * MOST_LEVELS && /^\s*[[{]/.test(value) && isTooDeep(value)) throw tooDeep();
  } else if (typeof value === 'object' && value !== null && !('sqlType' in value)) {
    for (const part of isSqlList(value) ? value.list : Object.values(value.struct)) enforceJsonDepth(part);
  }
}

function tooDeep(): SvcError {
  const message = `A text has JSON that is nested more than ${MOST_LEVELS} levels deep. Send flatter JSON.`;
  return new SvcError('arguments_invalid', message);
}

/**
 * Counts the brackets outside of the texts of a JSON document, which may follow others that close nothing. Ends at a control
 * character, which JSON does not have.
 */
function isTooDeep(json: string): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at] ?? '';
    if (character === '"') at = endOfText(json, at);
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth = Math.max(0, depth - 1);
    else if (character < ' ' && !'\t\n\r'.includes(character)) return false;
    if (depth > MOST_LEVELS) return true;
  }
  return false;
}

/** The place of the quote that ends a text. */
function endOfText(json: string, begin: number): number {
  for (let at = begin + 1; at < json.length; at += 1) {
    if (json[at] === '"') return at;
    if (json[at] === '\\') at += 1;
  }
  return json.length;
}
