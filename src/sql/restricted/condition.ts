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
    const compared = toComparison(one, left, right);
    const column = 'column' in one.left ? left : right;
    const value = valueBeside(one);
    if (isMisread(value)) return when(`NOT ${isA(column, NUMBERS)}`, compared);
    if (typeof value === 'boolean') return when(isA(column, '^BOOLEAN'), compared);
    if (typeof value !== 'number' && typeof value !== 'bigint') return compared;
    if (one.operator !== '=' && one.operator !== '<>') return when(isA(column, NUMBERS), compared);
    // A text equals the number that it is written like.
    const written = `${column} ${one.operator} ${operand({ value: String(value) })}`;
    return `(CASE WHEN ${isA(column, NUMBERS)} THEN ${compared} WHEN ${isA(column, '^VARCHAR$')} THEN ${written} END)`;
  };
  return { sql: write(condition), values };
}

type Comparison = Extract<RowCondition, { readonly operator: unknown }>;

function toComparison({ operator, ...operands }: Comparison, left: string, right: string): string {
  if (operator === 'in') return `list_contains(${right}, ${left})`;
  if (/^[a-z]/.test(operator)) return `${operator}(${left}, ${right})`;
  const compared = `${left} ${operator} ${right}`;
  const greater = operator.startsWith('>') ? 'left' : operator === '<' || operator === '<=' ? 'right' : null;
  if (greater === null || 'value' in operands[greater]) return `(${compared})`;
  // DuckDB takes NaN for more than any number, and CEL for neither more nor less. The cast makes this valid for any type.
  const column = greater === 'left' ? left : right;
  return `(${compared} AND NOT (typeof(${column}) IN ('FLOAT', 'DOUBLE') AND isnan(TRY_CAST(${column} AS DOUBLE))))`;
}

/** Gives no answer, so that no row is shown, where a test of a column's type fails. */
function when(test: string, compared: string): string {
  return `(CASE WHEN ${test} THEN ${compared} END)`;
}

function isA(column: string, types: string): string {
  return `regexp_matches(typeof(${column}), '${types}')`;
}

/** The types of numbers, and of lists of them, as `typeof` writes them. */
const NUMBERS = '^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|DECIMAL|FLOAT|DOUBLE|BIGNUM)';

/** The value beside a column; null between two columns. */
function valueBeside({ left, right }: Comparison): SqlValue {
  if ('value' in left) return left.value;
  return 'value' in right ? right.value : null;
}

/**
 * Whether a value is no number, but DuckDB may take it for one. DuckDB casts a parameter to the type of the column beside
 * it, so the texts `02`, `1.5` and ` 2` become 2 beside an INTEGER. The digits of a whole number stay the same number.
 */
function isMisread(value: SqlValue): boolean {
  if (typeof value === 'string') return /\d|inf|nan/i.test(value) && !/^(?:0|-?[1-9]\d*)$/.test(value);
  if (typeof value === 'object' && value !== null && 'list' in value) return value.list.some(isMisreadItem);
  return false;
}

function isMisreadItem(item: SqlValue): boolean {
  return typeof item === 'boolean' || isMisread(item);
}
