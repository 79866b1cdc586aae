import { own } from '../../json.ts';
import { type Difference, type DriftChange, differ, toChanges } from './change.ts';
import { isUnchanged } from './effect.ts';
import { isSameSql } from './source.ts';
import type { ColumnShape, Macros, TableShape, Tables } from './tables.ts';

/** Compares tables and views, for the SQL that reads them and for the readers of its results. */
export function compareTables(before: Tables, after: Tables): readonly DriftChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return names.flatMap((name) => {
    const [old, now] = [own(before, name), own(after, name)];
    const kind = (now ?? old)?.kind ?? 'table';
    return toChanges(`${kind} ${name}`, comparePresence(old, now));
  });
}

/** Compares macros, for the SQL that calls them. */
export function compareMacros(before: Macros, after: Macros): readonly DriftChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return names.flatMap((name) =>
    toChanges(`macro ${name}`, compareMacro(own(before, name), own(after, name))),
  );
}

function compareMacro(before: string | undefined, after: string | undefined): readonly Difference[] {
  if (before === undefined) return [differ(['widening', '', 'Nothing calls it yet.'], before, after)];
  if (after === undefined) return [differ(['breaking', '', 'SQL that calls it fails.'], before, after)];
  return compareStatement(before, after);
}

function comparePresence(
  before: TableShape | undefined,
  after: TableShape | undefined,
): readonly Difference[] {
  if (before === undefined) {
    return [differ(['widening', '', 'Nothing reads it yet.'], undefined, namesOf(after))];
  }
  if (after === undefined) {
    return [differ(['breaking', '', 'SQL that names it fails.'], namesOf(before), undefined)];
  }
  return [
    ...compareKind(before, after),
    ...compareStatement(before.sql, after.sql),
    ...compareComment('comment', before.comment, after.comment),
    ...compareColumns(before.columns, after.columns),
  ];
}

/** A table accepts statements that a view does not. */
function compareKind({ kind: before }: TableShape, { kind: after }: TableShape): readonly Difference[] {
  if (before === after) return [];
  return after === 'view'
    ? [differ(['breaking', 'kind', 'SQL that writes to it fails.'], before, after)]
    : [differ(['widening', 'kind', 'It can be written to.'], before, after)];
}

function compareStatement(before: string | undefined, after: string | undefined): readonly Difference[] {
  if (before === undefined || after === undefined || before === after) return [];
  return isSameSql(before, after)
    ? [differ(['wording', 'sql', 'The statement is equivalent.'], before, after)]
    : [differ(['breaking', 'sql', 'Its rows may differ.'], before, after)];
}

function compareColumns(
  before: readonly ColumnShape[],
  after: readonly ColumnShape[],
): readonly Difference[] {
  const was = new Map(before.map((column) => [column.name, column]));
  const is = new Map(after.map((column) => [column.name, column]));
  const found = [...new Set([...was.keys(), ...is.keys()])].flatMap((name) =>
    compareColumn(`columns.${name}`, was.get(name), is.get(name)),
  );
  return [...found, ...compareOrder([...was.keys()], [...is.keys()])];
}

function compareColumn(
  at: string,
  before: ColumnShape | undefined,
  after: ColumnShape | undefined,
): readonly Difference[] {
  if (before === undefined)
    return [differ(['widening', at, 'Rows have another column.'], undefined, after?.type ?? '')];
  if (after === undefined)
    return [differ(['breaking', at, 'SQL that names it fails.'], before.type, undefined)];
  return [
    ...compareType(`${at}.type`, before.type, after.type),
    ...compareNullable(`${at}.nullable`, before.nullable, after.nullable),
    ...compareComment(`${at}.comment`, before.comment, after.comment),
  ];
}

/** Any other type breaks readers, also a wider one, because it can hold values that the old type could not. */
function compareType(at: string, before: string, after: string): readonly Difference[] {
  if (before === after) return [];
  return [
    differ(['breaking', at, 'SQL and readers of its results get values of another type.'], before, after),
  ];
}

function compareNullable(at: string, before: boolean, after: boolean): readonly Difference[] {
  if (before === after) return [];
  return after
    ? [differ(['breaking', at, 'Results may now contain null.'], before, after)]
    : [differ(['widening', at, 'Results no longer contain null.'], before, after)];
}

function compareOrder(before: readonly string[], after: readonly string[]): readonly Difference[] {
  const was = before.filter((name) => after.includes(name));
  const is = after.filter((name) => before.includes(name));
  if (isUnchanged(was, is)) return [];
  return [differ(['wording', 'columns', 'Rows have the same values in another order.'], was, is)];
}

function compareComment(
  at: string,
  before: string | undefined,
  after: string | undefined,
): readonly Difference[] {
  return before === after ? [] : [differ(['wording', at, 'Only the text differs.'], before, after)];
}

function namesOf(table: TableShape | undefined): readonly string[] {
  return (table?.columns ?? []).map(({ name, type }) => `${name} ${type}`);
}
