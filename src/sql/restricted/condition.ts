import type { RowCondition, RowOperand } from '../../ports.ts';
import type { SqlValue } from '../../sql-value.ts';
import { quoteName } from '../quote.ts';

/** A condition in SQL, and the values of its positions `$1 .. $n`. */
export interface RowFilter {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** Writes a condition on the rows of a table in SQL. Columns are qualified by the table's alias, and no value is spliced. */
export function toRowFilter(condition: RowCondition, alias: string): RowFilter {
  const values: SqlValue[] = [];
  const operand = (one: RowOperand): string => {
    if ('column' in one) return `${quoteName(alias)}.${quoteName(one.column)}`;
    values.push(one.value);
    return `$${values.length}`;
  };
  const write = (one: RowCondition): string => {
    if ('is' in one) return one.is === null ? 'NULL::BOOLEAN' : String(one.is).toUpperCase();
    if ('column' in one) return operand(one);
    if ('not' in one) return `(NOT ${write(one.not)})`;
    if ('missing' in one) return `(${operand(one.missing)} IS NULL)`;
    if ('every' in one) return `(${one.every.map(write).join(' AND ')})`;
    if ('some' in one) return `(${one.some.map(write).join(' OR ')})`;
    const [left, right] = [operand(one.left), operand(one.right)];
    if (one.operator === 'in') return `list_contains(${right}, ${left})`;
    if (/^[a-z]/.test(one.operator)) return `${one.operator}(${left}, ${right})`;
    return `(${left} ${one.operator} ${right})`;
  };
  return { sql: write(condition), values };
}
