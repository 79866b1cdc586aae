import type { RowCondition, RowOperand } from '../../ports.ts';
import { isNumber, isSqlList, type SqlValue } from '../../sql-value.ts';
import { quoteName } from '../quote.ts';

/** A condition in SQL, and the values of its positions `$1 .. $n`. */
export interface RowFilter {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/**
 * Writes a condition on the rows of a table in SQL. Columns are qualified by the table's alias, and no value is spliced.
 * A comparison that fails at a row gives no answer, because its error would tell that the row is there.
 */
export function toRowFilter(condition: RowCondition, alias: string): RowFilter {
  const values: SqlValue[] = [];
  const bind = (value: SqlValue): string => {
    values.push(value);
    return `$${values.length}`;
  };
  const operand = (one: RowOperand): string =>
    'column' in one ? `${quoteName(alias)}.${quoteName(one.column)}` : bind(one.value);
  const write = (one: RowCondition): string => {
    if ('is' in one) return one.is === null ? 'NULL::BOOLEAN' : String(one.is).toUpperCase();
    if ('column' in one) return cases([isA(operand(one), `${BOOLEAN}$`), operand(one)]);
    if ('not' in one) return `(NOT ${write(one.not)})`;
    if ('missing' in one) return `(${operand(one.missing)} IS NULL)`;
    if ('every' in one) return `(${one.every.map(write).join(' AND ')})`;
    if ('some' in one) return `(${one.some.map(write).join(' OR ')})`;
    const { left, right } = one;
    if ('value' in left) return toTyped(one, left.value, { column: operand(right), bind });
    if ('value' in right) return toTyped(one, right.value, { column: operand(left), bind });
    return betweenColumns(one, operand(left), operand(right));
  };
  return { sql: write(condition), values };
}

type Comparison = Extract<RowCondition, { readonly operator: unknown }>;

interface Parts {
  readonly column: string;
  /** Returns the position of a value. */
  readonly bind: (value: SqlValue) => string;
}

/**
 * Writes a comparison of a column with a value, or with each item of a list. It gives no answer, so that no row is shown,
 * if the types do not fit: DuckDB would cast one of the two, and take 1 for true and the text `02` for 2.
 */
function toTyped(one: Comparison, value: SqlValue, { column, bind }: Parts): string {
  const isItem = one.operator === 'in' && 'value' in one.left;
  const values = one.operator === 'in' && !isItem && isSqlList(value) ? value.list : [value];
  const compare = (beside: string, given: readonly string[]): string => {
    const text = given.join(', ');
    return 'value' in one.left ? toComparison(one, text, beside) : toComparison(one, beside, text);
  };
  const given = values.map(bind);
  const compared = compare(column, given);
  if (values.every(isNumber) && !METHODS.includes(one.operator)) {
    const kinds = [
      [isA(column, EXACT), compared] as const,
      [isA(column, NUMBERS), `TRY(${compared})`] as const,
    ];
    if (isItem || !['=', '<>', 'in'].includes(one.operator)) return cases(...kinds);
    // A text equals the number that it is written like.
    const digits = values.map((number) => bind(String(number)));
    return cases(...kinds, [isA(column, VARCHAR), compare(column, digits)]);
  }
  // Positions of their own, because the type of a position has one collation.
  const besideText = isItem || values.some(isSqlList) ? null : compare(inBytes(column), values.map(bind));
  if (METHODS.includes(one.operator)) return onText(column, besideText, compared);
  if (!values.every(isText)) {
    const tried = onText(column, besideText === null ? null : `TRY(${besideText})`, `TRY(${compared})`);
    return cases([fits(column, values.flatMap(partsOf)), tried]);
  }
  // DuckDB makes these casts before it reads a row.
  const type = isItem ? `${column}[1]` : column;
  const casts = given.map((position) => `TRY(cast_to_type(${position}, ${type}))`);
  const numbers = casts.map((cast, at) => (isMisread(values[at] ?? '') ? 'NULL' : cast));
  const others = cases(
    [isA(column, BOOLEAN), 'NULL'],
    [isA(column, NUMBERS), compare(column, numbers)],
    [isA(column, '^(ENUM|VARIANT)'), `TRY(${compared})`],
    ['TRUE', compare(column, casts)],
  );
  return onText(column, besideText, others);
}

/** The answer for a column of texts, if it differs from that for others. */
function onText(column: string, answer: string | null, others: string): string {
  return answer === null ? others : cases([isA(column, VARCHAR), answer], ['TRUE', others]);
}

/** Writes a comparison of two columns. It gives no answer if the types do not fit, as beside a value. */
function betweenColumns(one: Comparison, left: string, right: string): string {
  const compared = `TRY(${toComparison(one, left, right)})`;
  const asTexts = [
    `${isA(left, TEXTS)} AND ${isA(right, TEXTS)} AND (${isA(left, VARCHAR)} OR ${isA(right, VARCHAR)})`,
    `TRY(${toComparison(one, inBytes(left), inBytes(right))})`,
  ] as const;
  // A method has texts on both sides, or it cannot be planned.
  if (METHODS.includes(one.operator)) return cases(asTexts, ['TRUE', compared]);
  const onlyOne = (types: string) => `${isA(left, types)} <> ${isA(right, types)}`;
  const isEqual = one.operator === '=' || one.operator === '<>';
  // A text equals the whole number that it is written like.
  const texts = `CAST(${left} AS VARCHAR) ${one.operator} CAST(${right} AS VARCHAR)`;
  return cases(
    ...(one.operator === 'in' ? [] : [asTexts]),
    [onlyOne(BOOLEAN), 'NULL'],
    ...(isEqual ? [[`${onlyOne(WHOLE)} AND ${onlyOne(VARCHAR)}`, `(${texts})`] as const] : []),
    [onlyOne(NUMBERS), 'NULL'],
    ['TRUE', compared],
  );
}

/** Tests whether a column can have truth values or lists with such parts. */
function fits(column: string, parts: readonly SqlValue[]): string {
  if (parts.some(isNumber)) return isA(column, NUMBERS);
  if (parts.some((part) => typeof part === 'boolean')) return isA(column, BOOLEAN);
  const misread = parts.some((part) => isText(part) && isMisread(part));
  return `NOT ${isA(column, misread ? `${BOOLEAN}|${NUMBERS}` : BOOLEAN)}`;
}

function partsOf(value: SqlValue): readonly SqlValue[] {
  return isSqlList(value) ? value.list.flatMap(partsOf) : [value];
}

function isText(value: SqlValue): value is string {
  return typeof value === 'string';
}

/** The operators that are functions of texts in SQL. */
const METHODS: readonly string[] = ['starts_with', 'ends_with', 'contains'];

function toComparison({ operator, ...operands }: Comparison, left: string, right: string): string {
  if (operator === 'in')
    return 'value' in operands.right ? `(${left} IN (${right}))` : `list_contains(${right}, ${left})`;
  if (METHODS.includes(operator)) return `${operator}(${left}, ${right})`;
  const compared = `${left} ${operator} ${right}`;
  const greater = operator.startsWith('>') ? 'left' : operator === '<' || operator === '<=' ? 'right' : null;
  if (greater === null || 'value' in operands[greater]) return `(${compared})`;
  // DuckDB takes NaN for more than any number, and CEL for neither more nor less. The cast makes this valid for any type.
  const column = greater === 'left' ? left : right;
  return `(${compared} AND NOT (typeof(${column}) IN ('FLOAT', 'DOUBLE') AND isnan(TRY_CAST(${column} AS DOUBLE))))`;
}

/** Writes the answer of the first test that holds; no answer if none does. */
function cases(...answers: readonly (readonly [test: string, answer: string])[]): string {
  return `(CASE ${answers.map(([test, answer]) => `WHEN ${test} THEN ${answer}`).join(' ')} END)`;
}

function isA(column: string, types: string): string {
  return `regexp_matches(typeof(${column}), '${types}')`;
}

/** A text column without its collation: CEL compares texts by their characters, and `NOCASE` takes two users for one. */
function inBytes(column: string): string {
  return `(CAST(${column} AS VARCHAR) COLLATE C)`;
}

const VARCHAR = '^VARCHAR$';
const TEXTS = '^(VARCHAR$|ENUM)';
const BOOLEAN = '^BOOLEAN';

/** The types beside which the comparison with a number never fails. Without TRY, DuckDB skips blocks that have no such number. */
const EXACT = '^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE)$';

const WHOLE = '^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|BIGNUM)$';

/** The types of numbers, and of lists of them, as `typeof` writes them. */
const NUMBERS = '^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|DECIMAL|FLOAT|DOUBLE|BIGNUM)';

/**
 * Whether a text is no number, but DuckDB may take it for one: it casts `02`, `1.5` and ` 2` to the INTEGER 2. The digits of
 * a whole number stay the same number.
 */
function isMisread(text: string): boolean {
  return /\d|inf|nan/i.test(text) && !/^(?:0|-?[1-9]\d*)$/.test(text);
}
