import { type ColumnType, TYPE, takeType } from '../../query/types.ts';
import type { CppInstance } from '../cpp.ts';
import { rowError } from '../scalar-function.ts';
import { inputOf, setBytes, setNull, setText } from '../vector.ts';
import { KIND, kindName } from './document.ts';
import { fillNumbers, NUMBERS, putStored } from './transform-numbers.ts';
import { isMissing, refuse, shown, type Target, type TransformKit } from './transform-target.ts';

/** Fills a vector with JSON values, converted to its type; 0 stands for a missing value. */
export function transform(kit: TransformKit, values: readonly number[], vector: number): void {
  const type = takeType(kit.instance, kit.instance.call.duckdb_vector_get_column_type(vector));
  fill(kit, values, { vector, type });
}

type Fill = (kit: TransformKit, values: readonly number[], target: Target) => void;

function fill(kit: TransformKit, values: readonly number[], target: Target): void {
  const { type } = target;
  if (type.alias === 'JSON') fillJson(kit, values, target);
  else if (NUMBERS.has(type.id)) fillNumbers(kit, values, target);
  else (FILLS[type.id] ?? fillFromText)(kit, values, target);
}

const FILLS: { readonly [id: number]: Fill } = {
  [TYPE.SQLNULL]: ({ instance }, values, { vector }) => {
    for (const row of values.keys()) setNull(instance, vector, row);
  },
  [TYPE.VARCHAR]: fillText,
  [TYPE.BLOB]: fillText,
  [TYPE.LIST]: fillList,
  [TYPE.ARRAY]: fillArray,
  [TYPE.STRUCT]: fillStruct,
  [TYPE.MAP]: fillMap,
  [TYPE.UNION]: fillUnion,
};

function fillPart(
  kit: TransformKit,
  values: readonly number[],
  vector: number,
  type: ColumnType | undefined,
): void {
  if (type) fill(kit, values, { vector, type });
}

function fillJson(kit: TransformKit, values: readonly number[], { vector }: Target): void {
  values.forEach((value, row) => {
    if (isMissing(kit, value)) setNull(kit.instance, vector, row);
    else kit.json.put(value, vector, row);
  });
}

function fillText(kit: TransformKit, values: readonly number[], { vector }: Target): void {
  const { instance, json, workspace } = kit;
  values.forEach((value, row) => {
    const kind = isMissing(kit, value) ? KIND.null : json.kind(value);
    if (kind === KIND.null) setNull(instance, vector, row);
    else if (json.isText(value) || kind === KIND.raw) setBytes(instance, vector, row, json.bytes(value));
    else if (kind !== KIND.real) json.put(value, vector, row);
    else {
      const number = workspace.create('DOUBLE', 1);
      putStored(kit, value, number, 0);
      const text = inputOf(instance, workspace.cast(number, 'VARCHAR', 1));
      setText(instance, vector, row, instance.heap.string(text.data, 0));
    }
  });
}

/** Fills a vector of a type, such as a date, that is read from text only. */
function fillFromText(kit: TransformKit, values: readonly number[], target: Target): void {
  const { instance, json, workspace } = kit;
  const texts = workspace.create('VARCHAR', values.length);
  values.forEach((value, row) => {
    if (!isMissing(kit, value) && json.isText(value)) setBytes(instance, texts, row, json.bytes(value));
    else setNull(instance, texts, row);
  });
  workspace.tryCast(texts, target.vector, values.length, false);
  const { isNull } = inputOf(instance, target.vector);
  values.forEach((value, row) => {
    const reason = () => `Unable to cast '${shown(json, value)}' to ${target.type.name}`;
    if (isNull(row) && !isMissing(kit, value)) refuse(kit, target, row, reason);
  });
}

/** Returns the values that are containers of a kind, and 0 for the others, whose rows become NULL. */
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
      // Anything but an object becomes a struct of nulls.
      if (target.type.id === TYPE.STRUCT) kit.problem ??= kit.strict ? problem : null;
      else refuse(kit, target, row, () => problem);
    }
    return 0;
  });
}

/** Writes the offset and length of each row's list, and reserves room for all items. */
function layOut({ call, heap }: CppInstance, vector: number, lengths: readonly number[]): void {
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

const lengthOf = ({ length }: readonly number[]): number => length;

function fillList(kit: TransformKit, values: readonly number[], { vector, type }: Target): void {
  const { instance, json } = kit;
  const items = containers(kit, values, { vector, type }, KIND.array).map((array) => json.items(array));
  layOut(instance, vector, items.map(lengthOf));
  fillPart(kit, items.flat(), instance.call.duckdb_list_vector_get_child(vector), type.parts[0]);
}

function fillArray(kit: TransformKit, values: readonly number[], target: Target): void {
  const { json } = kit;
  const { size, parts } = target.type;
  const items = containers(kit, values, target, KIND.array).flatMap((array, row) => {
    const found = json.items(array);
    if (found.length === size) return found;
    if (array !== 0) {
      const text = `Expected array of size ${size}, but got '${shown(json, array)}' with size ${found.length}`;
      refuse(kit, target, row, () => text);
    }
    return new Array<number>(size).fill(0);
  });
  fillPart(kit, items, kit.instance.call.duckdb_array_vector_get_child(target.vector), parts[0]);
}

function fillStruct(kit: TransformKit, values: readonly number[], target: Target): void {
  const { call } = kit.instance;
  const objects = containers(kit, values, target, KIND.object);
  for (const object of kit.strict ? objects : []) {
    kit.problem ??= object === 0 ? null : namesProblem(kit, object, target.type);
  }
  target.type.labels.forEach((label, index) => {
    const name = new TextEncoder().encode(label);
    const found = objects.map((object) => kit.json.field(object, name));
    const vector = call.duckdb_struct_vector_get_child(target.vector, index, 0);
    fillPart(kit, found, vector, target.type.parts[index]);
  });
}

function namesProblem(kit: TransformKit, object: number, { labels }: ColumnType): string | null {
  const { json, unknownNames } = kit;
  const whole = `Object ${shown(json, object)}`;
  const names = json.names(object).map((name) => json.string(name));
  const known = names.filter((name) => labels.includes(name));
  const twice = known.find((name, index) => known.indexOf(name) !== index);
  if (twice !== undefined) return `${whole} has duplicate key "${twice}"`;
  const unknown = unknownNames ? names.find((name) => !labels.includes(name)) : undefined;
  if (unknown !== undefined) return `${whole} has unknown key "${unknown}"`;
  const missing = labels.find((label) => !names.includes(label));
  return missing === undefined ? null : `${whole} does not have key "${missing}"`;
}

function fillMap(kit: TransformKit, values: readonly number[], { vector, type }: Target): void {
  const { instance, json } = kit;
  const objects = containers(kit, values, { vector, type }, KIND.object);
  const names = objects.map((object) => json.names(object));
  const fields = objects.flatMap((object) => json.values(object));
  layOut(instance, vector, names.map(lengthOf));
  const entries = instance.call.duckdb_list_vector_get_child(vector);
  const child = (index: number): number => instance.call.duckdb_struct_vector_get_child(entries, index, 0);
  const keys = { ...kit, problem: null };
  fillPart(keys, names.flat(), child(0), type.parts[0]);
  if (keys.problem !== null) {
    throw rowError(`${keys.problem}. Cannot default to NULL, because map keys cannot be NULL`);
  }
  fillPart(kit, fields, child(1), type.parts[1]);
}

/** A union is an object with one field, the name of a member; in its vector the tags come before the members. */
function fillUnion(kit: TransformKit, values: readonly number[], target: Target): void {
  const { instance, json } = kit;
  const { vector, type } = target;
  const child = (index: number): number => instance.call.duckdb_struct_vector_get_child(vector, index, 0);
  const members = values.map((value) => memberOf(kit, value, type));
  const tags = inputOf(instance, child(0)).data;
  members.forEach((member, row) => {
    const value = values[row] ?? 0;
    if (member >= 0) instance.heap.bytes[tags + row] = member;
    else if (isMissing(kit, value)) setNull(instance, vector, row);
    else
      refuse(
        kit,
        target,
        row,
        () => `Expected an object with a member of the union, but got ${shown(json, value)}`,
      );
    if (member < 0) setNull(instance, child(0), row);
  });
  type.parts.forEach((part, index) => {
    const own = values.map((value, row) => (members[row] === index ? (json.values(value)[0] ?? 0) : 0));
    fillPart(kit, own, child(index + 1), part);
  });
}

/** Returns the position of the union's member that an object holds; -1 if the union has no such member. */
function memberOf(kit: TransformKit, value: number, { labels }: ColumnType): number {
  const [name, ...more] = isMissing(kit, value) ? [] : kit.json.names(value);
  return name === undefined || more.length > 0 ? -1 : labels.indexOf(kit.json.string(name));
}
