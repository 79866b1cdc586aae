import { lexSql } from '../../sql/lexer.ts';
import { type Difference, differ } from './change.ts';

/** Code as a list of lines, so that changes of a snapshot are readable. */
export type Code = readonly string[];

/** Splits a text into lines at any kind of line end. */
export function toCode(text: string): Code {
  return text.replace(/\s+$/, '').split(/\r?\n/);
}

/** Compares code. A change of comments or insignificant blanks is a change of wording. */
export function compareCode(
  path: string,
  before: Code,
  after: Code,
  language: string,
): readonly Difference[] {
  const [old, now] = [before.join('\n'), after.join('\n')];
  if (old === now) return [];
  if (language === 'text') return [differ(['wording', path, 'Its text differs.'], old, now)];
  const same = language === 'python' ? isSamePython(old, now) : isSameSql(old, now);
  return same
    ? [differ(['wording', path, 'Only comments or blanks differ.'], old, now)]
    : [differ(['breaking', path, 'Its results may differ; no declaration excludes that.'], old, now)];
}

/** Whether two statements differ only in comments and blanks. */
export function isSameSql(before: string, after: string): boolean {
  return tokensOf(before) === tokensOf(after);
}

/** Keeps the case of words, because clients read the names of columns. */
function tokensOf(sql: string): string {
  const said = lexSql(sql).tokens.filter(({ kind }) => kind !== 'comment' && kind !== 'blank');
  const tokens = said.map(({ start, end }) => sql.slice(start, end));
  return (tokens.at(-1) === ';' ? tokens.slice(0, -1) : tokens).join('\0');
}

/** If a text may contain line breaks, blanks may be part of it. */
function isSamePython(before: string, after: string): boolean {
  if (/"""|'''|\\$/m.test(before + after)) return false;
  return linesOf(before) === linesOf(after);
}

function linesOf(python: string): string {
  const lines = python.split('\n').map((line) => line.trimEnd());
  return lines.filter((line) => line !== '' && !line.trimStart().startsWith('#')).join('\n');
}
