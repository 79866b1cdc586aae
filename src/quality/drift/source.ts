import { lexSql } from '../../sql/lexer.ts';
import { type Difference, differ } from './change.ts';

/** Code as a snapshot keeps it: by lines, so that its own changes are readable too. */
export type Code = readonly string[];

/** A text by lines, whatever ends them. */
export function toCode(text: string): Code {
  return text.replace(/\s+$/, '').split(/\r?\n/);
}

/** How code has changed; comments and blanks that mean nothing are wording. */
export function compareCode(
  path: string,
  before: Code,
  after: Code,
  language: string,
): readonly Difference[] {
  const [old, now] = [before.join('\n'), after.join('\n')];
  if (old === now) return [];
  const same = language === 'python' ? isSamePython(old, now) : isSameSql(old, now);
  return same
    ? [differ(['wording', path, 'Only comments or blanks differ.'], old, now)]
    : [
        differ(
          ['breaking', path, 'Its answers may be others; nothing declared says that they are not.'],
          old,
          now,
        ),
      ];
}

/** Whether two statements differ in comments and blanks only. */
export function isSameSql(before: string, after: string): boolean {
  return tokensOf(before) === tokensOf(after);
}

/** Words keep their case: a column's name is one, and clients read it. */
function tokensOf(sql: string): string {
  const said = lexSql(sql).tokens.filter(({ kind }) => kind !== 'comment' && kind !== 'blank');
  const tokens = said.map(({ start, end }) => sql.slice(start, end));
  return (tokens.at(-1) === ';' ? tokens.slice(0, -1) : tokens).join('\0');
}

/** Where a text may go over several lines, blanks may be part of it. */
function isSamePython(before: string, after: string): boolean {
  if (/"""|'''|\\$/m.test(before + after)) return false;
  return linesOf(before) === linesOf(after);
}

function linesOf(python: string): string {
  const lines = python.split('\n').map((line) => line.trimEnd());
  return lines.filter((line) => line !== '' && !line.trimStart().startsWith('#')).join('\n');
}
