import { applyEdits, modify, type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { parse as parseToml, stringify, TomlError } from 'smol-toml';
import { SvcError } from '../../src/errors.ts';
import { isObject } from '../../src/json.ts';
import type { Tree } from './clients.ts';

/** Reads a client's JSON file; comments and trailing commas are allowed. Throws config_invalid. */
export function readConfigJson(file: string, text: string): Tree {
  if (text.trim() === '') return {};
  const errors: ParseError[] = [];
  const tree: unknown = parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    const line = text.slice(0, error.offset).split('\n').length;
    throw refusal(`${file}:${line}`, `it is not JSON (${printParseErrorCode(error.error)})`);
  }
  if (isObject(tree)) return tree as Tree;
  throw refusal(file, 'it is not a map');
}

/** The error for a file that we do not change. */
export function refusal(place: string, reason: string): SvcError {
  return new SvcError(
    'config_invalid',
    `${place} cannot be read: ${reason}. Nothing was changed.\nCorrect the file, and run the same again.`,
  );
}

/** Sets the value at a path. Comments and everything else stay in place. */
export function writeJson(text: string, path: readonly string[], value: Tree): string {
  const begun = text.trim() === '' ? '{}\n' : text;
  const tabs = /^\t/m.test(begun);
  const tabSize = /^( +)\S/m.exec(begun)?.[1]?.length ?? 2;
  const eol = begun.includes('\r\n') ? '\r\n' : '\n';
  const formattingOptions = { insertSpaces: !tabs, tabSize, eol };
  return applyEdits(begun, modify(begun, [...path], value, { formattingOptions }));
}

/** Reads a client's TOML file. Throws config_invalid. */
export function readToml(file: string, text: string): Tree {
  try {
    return plain(parseToml(text, { integersAsBigInt: 'asNeeded' }));
  } catch (thrown) {
    const line = thrown instanceof TomlError ? `:${thrown.line}` : '';
    const [reason = ''] = thrown instanceof Error ? thrown.message.split('\n') : [];
    throw refusal(`${file}${line}`, reason);
  }
}

/** Gives the parser's tables a prototype, so that they compare equal to plain objects. */
function plain(value: unknown): Tree {
  return structuredClone(value) as Tree;
}

/** Replaces one table in place, or appends it. The caller must verify the result by parsing it. */
export function writeToml(text: string, path: readonly string[], value: Tree): string {
  const [key = '', name = ''] = path;
  const end = text.includes('\r\n') ? '\r' : '';
  const table = stringify({ [key]: { [name]: value } })
    .trim()
    .split('\n')
    .map((line) => `${line}${end}`);
  const { before, comments, after } = splitAt(text.split('\n'), path);
  if (after.length > 0) return [...before, ...comments, ...table, ...after].join('\n');
  const rest = before.join('\n').trimEnd();
  const gap = rest === '' ? [] : [`${rest}${end}`, end];
  return [...gap, ...comments, ...table, ''].join('\n');
}

/** A text without one table and its sub-tables. */
interface Split {
  readonly before: string[];
  /** The comments inside the table. */
  readonly comments: string[];
  readonly after: string[];
}

/** Splits a text around a table. Comments right before the next table belong to that one. */
function splitAt(lines: readonly string[], path: readonly string[]): Split {
  const header = new RegExp(`^\\s*\\[\\s*${path.map(keyPattern).join('\\s*\\.\\s*')}\\s*(\\.[^\\]]*)?\\]`);
  const split: Split = { before: [], comments: [], after: [] };
  let others = split.before;
  let open: string[] | null = null;
  for (const line of lines) {
    const begins = isHeader(line);
    if (begins && header.test(line)) {
      split.comments.push(...(open ?? []).filter(isComment));
      others = split.after;
      open = [];
    } else if (begins || open === null) {
      others.push(...(open ?? []), line);
      open = null;
    } else if (isComment(line) || line.trim() === '') {
      open.push(line);
    } else {
      split.comments.push(...open.filter(isComment));
      open = [];
    }
  }
  if (open !== null) split.after.push(...open);
  return split;
}

function isHeader(line: string): boolean {
  return /^\s*\[/.test(line) && !/^\s*\[["'\d\s]*[,\]"']/.test(line);
}

function isComment(line: string): boolean {
  return /^\s*#/.test(line);
}

function keyPattern(key: string): string {
  return `(?:${key}|"${key}"|'${key}')`;
}
