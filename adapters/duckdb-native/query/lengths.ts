import type { DuckDBType, DuckDBVector } from '@duckdb/node-api';
import { SvcError } from '../../../src/errors.ts';
import {
  type LengthOf,
  leastBignumBytes,
  leastBitBytes,
  lengthOfEntry,
  lengthOfFields,
  lengthOfItems,
} from '../../../src/sql/json-size.ts';
import type { Driver } from '../driver/driver.ts';
import { lengthReader, validityOf } from '../driver/texts.ts';

/**
 * Returns the reader of a column's lengths, which adds up no more than is needed to exceed `most` bytes. Null for a type
 * whose values are all short, and for JSON, which may lose blanks.
 */
export type LengthsOf = (vector: DuckDBVector, type: DuckDBType, most: number) => LengthOf | null;

/** Creates the function that makes readers of lengths. */
export function createLengths({ api }: Driver): LengthsOf {
  const lengthsOf: LengthsOf = (vector, type, most) => {
    if (type.alias === 'JSON') return null;
    if (vector instanceof api.DuckDBVarCharVector) return lengthReader(vector);
    if (vector instanceof api.DuckDBBlobVector) return lengthReader(vector);
    if (vector instanceof api.DuckDBBitVector) return lengthReader(vector, leastBitBytes);
    if (vector instanceof api.DuckDBBigNumVector) return lengthReader(vector, leastBignumBytes);
    if ('memberTypes' in type) return ofUnion(vector, type.memberTypes, most);
    if ('entryTypes' in type) return orNull(vector, lengthOfFields(ofFields(vector, type.entryTypes, most)));
    if ('keyType' in type) {
      const lists = partOf(vector, 'listVector', api.DuckDBListVector);
      const [key = null, value = null] = ofFields(lists.childVector, [type.keyType, type.valueType], most);
      return ofLists(lists, lengthOfEntry(key, value), most);
    }
    if (!('valueType' in type)) return null;
    if (vector instanceof api.DuckDBListVector)
      return ofLists(vector, lengthsOf(vector.childVector, type.valueType, most), most);
    return 'length' in type ? ofArrays(vector, type, most) : null;
  };
  const ofFields = (vector: DuckDBVector, types: readonly DuckDBType[], most: number) => {
    const fields = instanceOf(vector, api.DuckDBStructVector);
    return types.map((type, index) => lengthsOf(fields.entryVectorAt(index), type, most));
  };
  const ofLists = (
    vector: InstanceType<typeof api.DuckDBListVector>,
    item: LengthOf | null,
    most: number,
  ) => {
    const lengthOf = lengthOfItems(item, most);
    return orNull(vector, (row) =>
      lengthOf({ start: vector.getEntryOffset(row), length: vector.getEntryLength(row) }),
    );
  };
  const ofArrays = (
    vector: DuckDBVector,
    { valueType, length }: { readonly valueType: DuckDBType; readonly length: number },
    most: number,
  ) => {
    const lengthOf = lengthOfItems(
      lengthsOf(partOf(vector, 'childData', api.DuckDBVector), valueType, most),
      most,
    );
    return orNull(vector, (row) => lengthOf({ start: row * length, length }));
  };
  const ofUnion = (vector: DuckDBVector, types: readonly DuckDBType[], most: number): LengthOf => {
    const fields = partOf(vector, 'structVector', api.DuckDBStructVector);
    const members = types.map((type, index) => lengthsOf(fields.entryVectorAt(index + 1), type, most));
    return (row) => members[Number(fields.getItemValue(row, 0))]?.(row) ?? 0;
  };
  return lengthsOf;
}

/** Gives NULL one byte. A vector may hold anything under it. */
function orNull(vector: DuckDBVector, lengthOf: LengthOf): LengthOf {
  const validity = validityOf(vector);
  return (row) => (validity.itemValid(row) ? lengthOf(row) : 1);
}

type Class<T> = abstract new (...args: never[]) => T;

/** Reads a vector that the driver keeps private in another one. */
function partOf<T>(vector: DuckDBVector, name: string, type: Class<T>): T {
  return instanceOf(Reflect.get(vector, name), type);
}

function instanceOf<T>(vector: unknown, type: Class<T>): T {
  if (vector instanceof type) return vector;
  throw new SvcError('internal', `the native driver has changed: a column without its ${type.name}`);
}
