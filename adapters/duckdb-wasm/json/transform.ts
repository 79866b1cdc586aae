import { type ColumnType, takeType } from '../column-type.ts';
import type { Instance } from '../instance.ts';
import type { SqlTypes, TypeName } from '../sql-types.ts';
import { TYPE } from '../type-ids.ts';
import { inputOf, setBytes, setNull, setText } from '../vector.ts';
import { type Json, KIND, kindName } from './document.ts';
import type { Workspace } from './workspace.ts';

/** What does not fit is null, or with `strict` an error, as are names that are missing, unknown, or there twice. */
export interface Strictness {
  readonly strict: boolean;
  readonly unknownNames: boolean;
}

/** What values are turned with; the first thing that did not fit is kept. */
export interface TransformKit extends Strictness {
  readonly instance: Instance;
  readonly json: Json;
  readonly types: SqlTypes;
  readonly workspace: Workspace;
  problem: string | null;
}

/** Fills a vector with what JSON values are in its type; 0 stands for a value that is not there. */
export function transform(kit: TransformKit, values: readonly number[], vector: number): void {
  const type = takeType(kit.instance, kit.instance.call.duckdb_vector_get_column_type(vector));
  fill(kit, values, { vector, type });
}

interface Target {
  readonly vector: number;
  readonly type: ColumnType;
}

type Fill = (kit: TransformKit, values: readonly number[], target: Target) => void;

function fill(kit: TransformKit, values: readonly number[], target: Target): void {
  const { type } = target;
  if (type.alias === 'JSON') fillJson(kit, values, target);
  else (FILLS[type.id] ?? fillFromText)(kit, values, target);
}

const FILLS: { readonly [id: number]: Fill } = {
  [TYPE.SQLNULL]: ({ instance }, values, { vector }) => {
    for (const row of values.keys()) setNull(instance, vector, row);
  },
  [TYPE.BOOLEAN]: fillNumbers,
  [TYPE.TINYINT]: fillNumbers,
  [TYPE.SMALLINT]: fillNumbers,
  [TYPE.INTEGER]: fillNumbers,
  [TYPE.BIGINT]: fillNumbers,
  [TYPE.UTINYINT]: fillNumbers,
  [TYPE.USMALLINT]: fillNumbers,
  [TYPE.UINTEGER]: fillNumbers,
  [TYPE.UBIGINT]: fillNumbers,
  [TYPE.HUGEINT]: fillNumbers,
  [TYPE.UHUGEINT]: fillNumbers,
  [TYPE.FLOAT]: fillNumbers,
  [TYPE.DOUBLE]: fillNumbers,
  [TYPE.DECIMAL]: fillNumbers,
  [TYPE.VARCHAR]: fillText,
  [TYPE.BLOB]: fillText,
  [TYPE.LIST]: fillList,
  [TYPE.ARRAY]: fillArray,
  [TYPE.STRUCT]: fillStruct,
  [TYPE.MAP]: fillMap,
};

function isMissing({ json }: TransformKit, value: number): boolean {
  return value === 0 || json.kind(value) === KIND.null;
}

/** Makes a row null whose value does not fit. */
function refuse(kit: TransformKit, { vector }: Target, row: number, reason: () => string): void {
  setNull(kit.instance, vector, row);
  if (kit.strict) kit.problem ??= reason();
}

function shown(json: Json, value: number): string {
  const text = json.text(value);
  return text.length > 50 ? `${text.slice(0, 50)}...` : text;
}

function fillJson(kit: TransformKit, values: readonly number[], { vector }: Target): void {
  const { instance, json } = kit;
  values.forEach((value, row) => {
    if (isMissing(kit, value)) setNull(instance, vector, row);
    else json.write(value, (text) => setBytes(instance, vector, row, text));
  });
}

/** The types in which a value can stand in a document, and how one is taken out of it. */
const STORED: { readonly [kind: number]: TypeName } = {
  [KIND.text]: 'VARCHAR',
  [KIND.plainText]: 'VARCHAR',
  [KIND.raw]: 'VARCHAR',
  [KIND.true]: 'BOOLEAN',
  [KIND.false]: 'BOOLEAN',
  [KIND.unsigned]: 'UBIGINT',
  [KIND.signed]: 'BIGINT',
  [KIND.real]: 'DOUBLE',
};

/** Each value goes through DuckDB's own cast from the type in which it stands in the document. */
function fillNumbers(kit: TransformKit, values: readonly number[], target: Target): void {
  const { instance, json } = kit;
  const rows = new Map<TypeName, number[]>();
  values.forEach((value, row) => {
    const stored = isMissing(kit, value) ? undefined : STORED[json.kind(value)];
    if (stored !== undefined) rows.set(stored, [...(rows.get(stored) ?? []), row]);
    else if (isMissing(kit, value)) setNull(instance, target.vector, row);
    else refuse(kit, target, row, () => numberProblem(kit, value, target));
  });
  for (const [stored, at] of rows) castRows(kit, values, target, { stored, rows: at });
}

function numberProblem({ json }: TransformKit, value: number, { type }: Target): string {
  const wanted = type.id === TYPE.DECIMAL ? 'decimal' : 'numerical';
  return `Failed to cast value to ${wanted}: ${shown(json, value)}`;
}

interface Group {
  readonly stored: TypeName;
  readonly rows: readonly number[];
}

function castRows(
  kit: TransformKit,
  values: readonly number[],
  target: Target,
  { stored, rows }: Group,
): void {
  const { instance, workspace } = kit;
  const source = workspace.create(stored, rows.length);
  rows.forEach((row, index) => {
    putStored(kit, values[row] ?? 0, source, index);
  });
  const type = instance.call.duckdb_vector_get_column_type(target.vector);
  const cast = workspace.create(type, rows.length);
  instance.heap.setU32(instance.scratch, type);
  instance.call.duckdb_destroy_logical_type(instance.scratch);
  workspace.tryCast(source, cast, rows.length, kit.strict);
  const done = inputOf(instance, cast);
  const [to, width] = [instance.call.duckdb_vector_get_data(target.vector), widthOf(target.type)];
  rows.forEach((row, index) => {
    if (done.isNull(index)) refuse(kit, target, row, () => numberProblem(kit, values[row] ?? 0, target));
    else
      instance.heap.bytes.copyWithin(
        to + row * width,
        done.data + index * width,
        done.data + (index + 1) * width,
      );
  });
}

function putStored({ instance, json }: TransformKit, value: number, vector: number, row: number): void {
  const { call, heap } = instance;
  const kind = json.kind(value);
  const data = call.duckdb_vector_get_data(vector);
  if (STORED[kind] === 'VARCHAR') setBytes(instance, vector, row, json.bytes(value));
  else if (STORED[kind] === 'BOOLEAN') heap.bytes[data + row] = kind === KIND.true ? 1 : 0;
  else heap.bytes.copyWithin(data + row * 8, value + 8, value + 16);
}

const WIDTHS: { readonly [id: number]: number } = {
  [TYPE.BOOLEAN]: 1,
  [TYPE.TINYINT]: 1,
  [TYPE.UTINYINT]: 1,
  [TYPE.SMALLINT]: 2,
  [TYPE.USMALLINT]: 2,
  [TYPE.INTEGER]: 4,
  [TYPE.UINTEGER]: 4,
  [TYPE.FLOAT]: 4,
  [TYPE.HUGEINT]: 16,
  [TYPE.UHUGEINT]: 16,
};

const widthOf = ({ id, storage }: ColumnType): number => WIDTHS[id === TYPE.DECIMAL ? storage : id] ?? 8;

function fillText(kit: TransformKit, values: readonly number[], { vector }: Target): void {
  const { instance, json, workspace } = kit;
  values.forEach((value, row) => {
    const kind = value === 0 ? KIND.null : json.kind(value);
    if (kind === KIND.null) setNull(instance, vector, row);
    else if (json.isText(value) || kind === KIND.raw) setBytes(instance, vector, row, json.bytes(value));
    else if (kind !== KIND.real) json.write(value, (text) => setBytes(instance, vector, row, text));
    else {
      const number = workspace.create('DOUBLE', 1);
      putStored(kit, value, number, 0);
      const text = inputOf(instance, workspace.cast(number, 'VARCHAR', 1));
      setText(instance, vector, row, instance.heap.string(text.data, 0));
    }
  });
}

/** Types such as dates are read from text only. */
function fillFromText(kit: TransformKit, values: readonly number[], target: Target): void {
  const { instance, json, workspace } = kit;
  const texts = workspace.create('VARCHAR', Math.max(1, values.length));
  values.forEach((value, row) => {
    if (isMissing(kit, value)) setNull(instance, texts, row);
    else if (json.isText(value)) setBytes(instance, texts, row, json.bytes(value));
    else
      refuse(
        kit,
        { ...target, vector: texts },
        row,
        () => `Unable to cast '${shown(json, value)}' to ${target.type.name}`,
      );
  });
  const problem = workspace.tryCast(texts, target.vector, values.length, false);
  if (problem !== null && kit.strict) kit.problem ??= problem;
}

/** The values that are containers of a kind; the others are 0, and their rows null where that is what they become. */
function containers(
  kit: TransformKit,
  values: readonly number[],
  target: Target,
  kind: number,
): readonly number[] {
  const { instance, json } = kit;
  return values.map((value, row) => {
    if (isMissing(kit, value)) setNull(instance, target.vector, row);
    else if (json.kind(value) === kind) return value;
    else {
      const problem = `Expected ${kindName(kind)}, but got ${kindName(json.kind(value))}: ${shown(json, value)}`;
      // What is no object becomes a struct of nulls.
      if (target.type.id === TYPE.STRUCT) kit.problem ??= kit.strict ? problem : null;
      else refuse(kit, target, row, () => problem);
    }
    return 0;
  });
}

const partOf = ({ parts }: ColumnType, index: number): ColumnType | undefined => parts[index];

/** Writes where each row's items lie, and makes room for all. */
function layOut({ call, heap }: Instance, vector: number, lengths: readonly number[]): void {
  const total = lengths.reduce((sum, length) => sum + length, 0);
  call.duckdb_list_vector_reserve(vector, total, 0);
  call.duckdb_list_vector_set_size(vector, total, 0);
  const entries = call.duckdb_vector_get_data(vector);
  let start = 0;
  lengths.forEach((length, row) => {
    heap.words(entries + row * 16, [start, 0, length, 0]);
    start += length;
  });
}

function fillList(kit: TransformKit, values: readonly number[], target: Target): void {
  const items = containers(kit, values, target, KIND.array).map((array) =>
    array === 0 ? [] : kit.json.items(array),
  );
  layOut(
    kit.instance,
    target.vector,
    items.map(({ length }) => length),
  );
  fillPart(
    kit,
    items.flat(),
    kit.instance.call.duckdb_list_vector_get_child(target.vector),
    partOf(target.type, 0),
  );
}

function fillPart(
  kit: TransformKit,
  values: readonly number[],
  vector: number,
  type: ColumnType | undefined,
): void {
  if (type) fill(kit, values, { vector, type });
}

function fillArray(kit: TransformKit, values: readonly number[], target: Target): void {
  const { json } = kit;
  const { size } = target.type;
  const items = containers(kit, values, target, KIND.array).flatMap((array, row) => {
    const found = array === 0 ? [] : json.items(array);
    if (found.length === size) return found;
    if (array !== 0) {
      const text = `Expected array of size ${size}, but got '${shown(json, array)}' with size ${found.length}`;
      refuse(kit, target, row, () => text);
    }
    return new Array<number>(size).fill(0);
  });
  fillPart(
    kit,
    items,
    kit.instance.call.duckdb_array_vector_get_child(target.vector),
    partOf(target.type, 0),
  );
}

function fillStruct(kit: TransformKit, values: readonly number[], target: Target): void {
  const { call } = kit.instance;
  const objects = containers(kit, values, target, KIND.object);
  if (kit.strict)
    for (const object of objects)
      kit.problem ??= object === 0 ? null : namesProblem(kit, object, target.type);
  target.type.labels.forEach((label, index) => {
    const name = new TextEncoder().encode(label);
    const found = objects.map((object) => (object === 0 ? 0 : kit.json.field(object, name)));
    fillPart(
      kit,
      found,
      call.duckdb_struct_vector_get_child(target.vector, index, 0),
      partOf(target.type, index),
    );
  });
}

function namesProblem(kit: TransformKit, object: number, { labels }: ColumnType): string | null {
  const { json, unknownNames } = kit;
  const names = json
    .fields(object)
    .filter((_, index) => index % 2 === 0)
    .map((key) => json.string(key));
  const known = names.filter((name) => labels.includes(name));
  const twice = known.find((name, index) => known.indexOf(name) !== index);
  if (twice !== undefined) return `Object ${shown(json, object)} has duplicate key "${twice}"`;
  const unknown = unknownNames ? names.find((name) => !labels.includes(name)) : undefined;
  if (unknown !== undefined) return `Object ${shown(json, object)} has unknown key "${unknown}"`;
  const missing = labels.find((label) => !names.includes(label));
  return missing === undefined ? null : `Object ${shown(json, object)} does not have key "${missing}"`;
}

function fillMap(kit: TransformKit, values: readonly number[], target: Target): void {
  const { call } = kit.instance;
  const fields = containers(kit, values, target, KIND.object).map((object) =>
    object === 0 ? [] : kit.json.fields(object),
  );
  layOut(
    kit.instance,
    target.vector,
    fields.map(({ length }) => length / 2),
  );
  const entries = call.duckdb_list_vector_get_child(target.vector);
  const all = fields.flat();
  for (const part of [0, 1]) {
    const vector = call.duckdb_struct_vector_get_child(entries, part, 0);
    fillPart(
      kit,
      all.filter((_, index) => index % 2 === part),
      vector,
      partOf(target.type, part),
    );
  }
}
