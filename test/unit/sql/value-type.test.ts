import { describe, expect, it } from 'vitest';
import { type ValueType, valueTypeOf } from '../../../src/sql/value-type.ts';
import type { SqlValue } from '../../../src/sql-value.ts';

function text(type: ValueType): string {
  if (type.kind === 'scalar') return type.name;
  if (type.kind === 'list') return `${text(type.items)}[]`;
  return `(${[...type.fields].map(([name, field]) => `${name} ${text(field)}`).join(', ')})`;
}

const MIN_32 = -(2n ** 31n);
const MIN_64 = -(2n ** 63n);

describe('valueTypeOf', () => {
  it.each<[SqlValue, string]>([
    [null, 'SQLNULL'],
    [false, 'BOOLEAN'],
    [MIN_32, 'INTEGER'],
    [MIN_32 - 1n, 'BIGINT'],
    [MIN_64, 'BIGINT'],
    [MIN_64 - 1n, 'HUGEINT'],
    [1, 'DOUBLE'],
    ['1', 'VARCHAR'],
    [{ sqlType: 'TIMESTAMPTZ', text: '' }, 'TIMESTAMP_TZ'],
    [{ list: [] }, 'SQLNULL[]'],
    [{ list: [null, 1n] }, 'INTEGER[]'],
    [{ list: [1n, MIN_64 - 1n, MIN_32 - 1n] }, 'HUGEINT[]'],
    [{ list: [1n, 0.5] }, 'DOUBLE[]'],
    [{ list: [1n, 'x'] }, 'VARCHAR[]'],
    [{ list: [true, 1n] }, 'VARCHAR[]'],
    [{ list: [{ list: [] }, { list: [1n] }] }, 'INTEGER[][]'],
    [{ struct: { a: 1n, b: { list: ['x'] } } }, '(a INTEGER, b VARCHAR[])'],
    [{ list: [{ struct: { a: null } }, { struct: { a: 1, b: 'x' } }] }, '(a DOUBLE, b VARCHAR)[]'],
    [{ list: [{ struct: { a: 1n } }, 5n] }, 'VARCHAR[]'],
  ])('%o is %s', (value, type) => {
    expect(text(valueTypeOf(value))).toBe(type);
  });
});
