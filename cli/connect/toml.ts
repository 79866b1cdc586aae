import { parse, stringify, TomlError } from 'smol-toml';
import type { Tree } from './clients.ts';
import { refusal } from './json.ts';

/** Reads a client's TOML file. Throws config_invalid. */
export function readToml(file: string, text: string): Tree {
  try {
    return plain(parse(text, { integersAsBigInt: 'asNeeded' }));
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
