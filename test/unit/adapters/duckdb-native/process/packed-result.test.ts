import { deserialize, serialize } from 'node:v8';
import { expect, it } from 'vitest';
import { packResult, unpackResult } from '../../../../../adapters/duckdb-native/process/packed-result.ts';
import type { SqlResult } from '../../../../../src/ports.ts';

const column = (name: string) => ({ name, type: 'VARCHAR' });

const RESULTS: readonly (readonly [string, SqlResult])[] = [
  ['no rows', { columns: [column('a')], rows: [], truncated: false }],
  [
    'nested values, NULL and odd texts',
    {
      columns: [column('a'), column('b')],
      rows: [
        { a: { list: [1, null, { x: '\uD800' }] }, b: null },
        { a: -0, b: '\uFEFF\0' },
      ],
      truncated: true,
    },
  ],
  [
    'the estimate of its scans',
    {
      columns: [column('a')],
      rows: [{ a: 1 }],
      truncated: false,
      estimate: { rows: 2_000, bytes: null },
    },
  ],
  [
    'a column called __proto__',
    { columns: [column('__proto__')], rows: [JSON.parse('{"__proto__":{"a":1}}')], truncated: false },
  ],
];

it.each(RESULTS)('a result is the same after its way between processes: %s', (_what, result) => {
  const restored = unpackResult(deserialize(serialize(packResult(result))));
  expect(restored).toStrictEqual(result);
  expect(JSON.stringify(restored)).toBe(JSON.stringify(result));
});
