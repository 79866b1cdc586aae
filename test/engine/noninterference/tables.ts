import fc from 'fast-check';
import {
  type Cell,
  type Person,
  REGIONS,
  type Row,
  type RowCondition,
  rowCondition,
  type UserCondition,
  userCondition,
} from './conditions.ts';

/** A column and its type in SQL. */
export interface Column {
  readonly name: string;
  readonly type: string;
}

/** A rule of `sql_tools.tables`. */
export interface Rule {
  readonly to: UserCondition | null;
  readonly rows: RowCondition | null;
  readonly hide: readonly string[];
  readonly mask: readonly string[];
}

/** A table that callers of the SQL tools may reach, with its rules; without a rule nobody sees it. */
export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly rules: readonly Rule[];
}

/** What a user sees of a table: null is nothing. */
export interface Sight {
  readonly sees: (row: Row) => boolean;
  /** The columns without those that the user may not read, or reads as `****`. */
  readonly hidden: ReadonlySet<string>;
  /** The hidden columns that decide on rows keep their type. */
  readonly deciding: ReadonlySet<string>;
}

/** What differs between the two worlds, as far as the user may not see it. */
export interface Change {
  readonly kinds: readonly ('keep' | 'drop' | 'alter')[];
  /** Replace hidden rows, and fill hidden columns. */
  readonly rows: readonly Row[];
  readonly more: readonly { readonly at: number; readonly row: Row }[];
  /** The type of hidden columns; null keeps it. */
  readonly type: string | null;
}

const TYPES = ['INTEGER', 'VARCHAR', 'DOUBLE', 'BLOB', 'INTEGER[]'] as const;

export const COLUMNS: readonly Column[] = [
  { name: 'id', type: 'INTEGER' },
  { name: 'region', type: 'VARCHAR' },
  { name: 'level', type: 'INTEGER' },
  { name: 'note', type: 'VARCHAR' },
  { name: 'Code', type: 'VARCHAR' },
  { name: 'pay', type: 'INTEGER' },
];

const text = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<string>(...REGIONS, '7', 'x', "it's", 'ada@acme.com') },
  { weight: 1, arbitrary: fc.constantFrom('y'.repeat(40), 'z'.repeat(1_500)) },
);
const number = fc.constantFrom(-1, 0, 1, 2, 5, 2_147_483_647);

export function cellOf({ type }: Column): fc.Arbitrary<Cell> {
  return fc.option<Cell>(type === 'INTEGER' ? number : text, { freq: 5 });
}

export function rowOf(columns: readonly Column[]): fc.Arbitrary<Row> {
  return fc.record(Object.fromEntries(columns.map((column) => [column.name, cellOf(column)])));
}

const rule: fc.Arbitrary<Rule> = fc.record({
  to: fc.option(userCondition),
  rows: fc.option(rowCondition({ texts: ['region', 'note'], numbers: ['id', 'level'] }), { freq: 3 }),
  hide: fc.subarray(['note', 'code', 'level'], { maxLength: 2 }),
  mask: fc.subarray(['PAY', 'region'], { maxLength: 2 }),
});

/** Tables with their data and rules. */
export const table: fc.Arbitrary<Table> = fc.record({
  columns: fc.constant(COLUMNS),
  rows: fc.array(rowOf(COLUMNS), { maxLength: 6 }),
  // A rule for everybody is the last one.
  rules: fc.array(rule, { maxLength: 3 }).map((rules) => {
    const last = rules.findIndex(({ to }) => to === null);
    return last === -1 ? rules : rules.slice(0, last + 1);
  }),
});

/** Changes of a table of these columns. */
export function changeOf(columns: readonly Column[], types: readonly string[] = TYPES): fc.Arbitrary<Change> {
  const row = rowOf(columns);
  return fc.record({
    kinds: fc.array(fc.constantFrom('alter', 'drop', 'keep'), { minLength: 8, maxLength: 8 }),
    rows: fc.array(row, { minLength: 8, maxLength: 8 }),
    more: fc.array(fc.record({ at: fc.nat(8), row }), { maxLength: 3 }),
    type: types.length === 0 ? fc.constant(null) : fc.option(fc.constantFrom(...types), { freq: 2 }),
  });
}

/** What the first rule whose `to` holds shows to a user. Null for a table that the user does not see at all. */
export function sightOf({ rules }: Table, user: Person): Sight | 'denied' | null {
  for (const { to, rows, hide, mask } of rules) {
    const applies = to === null ? true : to.holds(user);
    if (applies === null) return 'denied';
    if (!applies) continue;
    return {
      sees: (row) => rows === null || rows.sees(row, user) === true,
      hidden: new Set([...hide, ...mask].map((name) => name.toLowerCase())),
      deciding: new Set((rows?.columns ?? []).map((name) => name.toLowerCase())),
    };
  }
  return null;
}

/** The rows of the other world: only cells that the user does not see differ. */
export function changeRows(
  rows: readonly Row[],
  { sees, hidden }: Sight,
  change: Change,
  edit: (row: Row, other: Row) => Row = (row, other) => withHidden(row, other, hidden),
): readonly Row[] {
  const changed = rows.flatMap((row, index) => {
    const seen = sees(row);
    const other = change.rows[index % change.rows.length] ?? row;
    const edited = edit(row, other);
    const kept = sees(edited) === seen ? edited : row;
    if (seen) return [kept];
    const kind = change.kinds[index % change.kinds.length];
    if (kind === 'drop') return [];
    return [kind === 'alter' && !sees(other) ? other : kept];
  });
  for (const { at, row } of change.more) if (!sees(row)) changed.splice(at, 0, row);
  return changed;
}

function withHidden(row: Row, other: Row, hidden: ReadonlySet<string>): Row {
  const cells = Object.entries(row).map(([name, cell]): [string, Cell] => [
    name,
    hidden.has(name.toLowerCase()) ? (other[name] ?? null) : cell,
  ]);
  return Object.fromEntries(cells);
}

/** The columns of the other world: hidden ones may have another type. */
export function changeColumns(columns: readonly Column[], sight: Sight, { type }: Change): readonly Column[] {
  if (type === null) return columns;
  return columns.map((column) => {
    const name = column.name.toLowerCase();
    return sight.hidden.has(name) && !sight.deciding.has(name) ? { ...column, type } : column;
  });
}

/** Writes a table as one statement. */
export function toCreate(name: string, columns: readonly Column[], rows: readonly Row[]): string {
  const cells = (row: Row) =>
    `(${columns.map((column) => toSql(row[column.name] ?? null, column)).join(', ')})`;
  const values = rows.length === 0 ? [`(${columns.map(() => 'NULL').join(', ')})`] : rows.map(cells);
  const names = columns.map((column) => `"${column.name}"`).join(', ');
  const casts = columns
    .map((column) => `CAST("${column.name}" AS ${column.type}) AS "${column.name}"`)
    .join(', ');
  const none = rows.length === 0 ? ' WHERE false' : '';
  return `CREATE OR REPLACE TABLE ${name} AS SELECT ${casts} FROM (VALUES ${values.join(', ')}) AS v(${names})${none}`;
}

function toSql(cell: Cell, { type }: Column): string {
  if (cell === null) return 'NULL';
  // A hidden column with another type holds something that fits it.
  if (type === 'INTEGER[]') return `[${String(cell).length}]`;
  if (type === 'BLOB') return `'${String(cell).length}'`;
  if ((type === 'INTEGER' || type === 'DOUBLE') && typeof cell === 'string') return String(cell.length);
  return literal(cell);
}

function literal(cell: Cell): string {
  if (cell === null) return 'NULL';
  if (typeof cell === 'string') return `'${cell.replaceAll("'", "''")}'`;
  if (typeof cell !== 'object') return String(cell);
  if (isCells(cell)) return `[${cell.map(literal).join(', ')}]`;
  return `{${Object.entries(cell)
    .map(([name, value]) => `'${name}': ${literal(value)}`)
    .join(', ')}}`;
}

function isCells(cell: Cell): cell is readonly Cell[] {
  return Array.isArray(cell);
}
