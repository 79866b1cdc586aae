import { type ColumnType, TYPE } from '../../query/types.ts';
import type { SqlTypeName } from '../sql-types.ts';
import { inputOf, setBytes, setNull } from '../vector.ts';
import { KIND } from './document.ts';
import { isMissing, refuse, shown, type Target, type TransformKit } from './transform-target.ts';

/** The types that are read from numbers, each with the size of a value in bytes. */
export const NUMBERS: ReadonlyMap<number, number> = new Map([
  ...[TYPE.BOOLEAN, TYPE.TINYINT, TYPE.UTINYINT].map((id) => [id, 1] as const),
  ...[TYPE.SMALLINT, TYPE.USMALLINT].map((id) => [id, 2] as const),
  ...[TYPE.INTEGER, TYPE.UINTEGER, TYPE.FLOAT].map((id) => [id, 4] as const),
  ...[TYPE.BIGINT, TYPE.UBIGINT, TYPE.DOUBLE, TYPE.DECIMAL].map((id) => [id, 8] as const),
  ...[TYPE.HUGEINT, TYPE.UHUGEINT].map((id) => [id, 16] as const),
]);

/** The SQL type for each kind of value in a document. */
const STORED: { readonly [kind: number]: SqlTypeName } = {
  [KIND.text]: 'VARCHAR',
  [KIND.plainText]: 'VARCHAR',
  [KIND.raw]: 'VARCHAR',
  [KIND.true]: 'BOOLEAN',
  [KIND.false]: 'BOOLEAN',
  [KIND.unsigned]: 'UBIGINT',
  [KIND.signed]: 'BIGINT',
  [KIND.real]: 'DOUBLE',
};

/** Casts each value with DuckDB's cast from the type that it has in the document. */
export function fillNumbers(kit: TransformKit, values: readonly number[], target: Target): void {
  const rows = new Map<SqlTypeName, number[]>();
  values.forEach((value, row) => {
    const stored = isMissing(kit, value) ? undefined : STORED[kit.json.kind(value)];
    if (stored !== undefined) {
      const group = rows.get(stored) ?? [];
      group.push(row);
      rows.set(stored, group);
    } else if (isMissing(kit, value)) setNull(kit.instance, target.vector, row);
    else refuse(kit, target, row, () => numberProblem(kit, value, target));
  });
  for (const [stored, at] of rows) castRows(kit, values, target, { stored, rows: at });
}

function numberProblem({ json }: TransformKit, value: number, { type }: Target): string {
  const wanted = type.id === TYPE.DECIMAL ? 'decimal' : 'numerical';
  return `Failed to cast value to ${wanted}: ${shown(json, value)}`;
}

interface Group {
  readonly stored: SqlTypeName;
  readonly rows: readonly number[];
}

function castRows(kit: TransformKit, values: readonly number[], target: Target, group: Group): void {
  const { instance, workspace } = kit;
  const { stored, rows } = group;
  const source = workspace.create(stored, rows.length);
  rows.forEach((row, index) => {
    putStored(kit, values[row] ?? 0, source, index);
  });
  const cast = workspace.createLike(target.vector, rows.length);
  workspace.tryCast(source, cast, rows.length, kit.strict);
  const done = inputOf(instance, cast);
  const [to, width] = [inputOf(instance, target.vector).data, widthOf(target.type)];
  rows.forEach((row, index) => {
    const from = done.data + index * width;
    if (!done.isNull(index)) instance.heap.bytes.copyWithin(to + row * width, from, from + width);
    else refuse(kit, target, row, () => numberProblem(kit, values[row] ?? 0, target));
  });
}

/** Writes a value that is not a container into a vector of the type that it has in the document. */
export function putStored(
  { instance, json }: TransformKit,
  value: number,
  vector: number,
  row: number,
): void {
  const { heap } = instance;
  const kind = json.kind(value);
  const { data } = inputOf(instance, vector);
  if (STORED[kind] === 'VARCHAR') setBytes(instance, vector, row, json.bytes(value));
  else if (STORED[kind] === 'BOOLEAN') heap.bytes[data + row] = kind === KIND.true ? 1 : 0;
  else heap.bytes.copyWithin(data + row * 8, value + 8, value + 16);
}

function widthOf({ id, storage }: ColumnType): number {
  return NUMBERS.get(id === TYPE.DECIMAL ? storage : id) ?? 8;
}
