import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openNative } from '../../../../../adapters/duckdb-native/open.ts';
import type { Database } from '../../../../../src/ports.ts';
import type { SqlValue } from '../../../../../src/sql-value.ts';
import { callOf } from '../../../../engine/fixture.ts';

const list = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const object = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

describe('a text that DuckDB may read as JSON', () => {
  let database: Database;
  beforeAll(async () => {
    database = await openNative({ path: ':memory:', readonly: false });
  });
  afterAll(() => database?.close());

  const run = (sql: string, value: SqlValue, mode: 'read' | 'write' = 'read') =>
    database.run({ sql, values: [value], mode, maxRows: 1 }, callOf({}));

  it.each<[string, string, SqlValue]>([
    ['a list', "json_contains($1, '1')", list(1001)],
    ['an object', "json_merge_patch('{}', $1)", object(1001)],
    ['both, after blanks', 'json_structure($1)', ` \r\n\t[{"b": ${object(1001)}}]`],
    ['a deep part behind texts', 'json_pretty($1)', `["]", "\\"]", "${']'.repeat(2000)}", ${list(1001)}]`],
    [
      'a part behind closing brackets',
      'json_type(($1::STRUCT(a VARCHAR, b JSON)).b)',
      `{'a': ${']'.repeat(2000)}, 'b': ${list(1001)}}`,
    ],
    ['one of several', '$1[2]::JSON::VARIANT', { list: ['', list(1001)] }],
    ['a field', "json_contains(($1).a.b, '1')", { struct: { a: { struct: { b: list(1001) } } } }],
    ['a text that only a macro reads as JSON', '$1', list(1001)],
  ])('is refused if it nests deeper than a thread may go: %s', async (_, expression, value) => {
    await expect(run(`SELECT ${expression}`, value)).rejects.toMatchObject({
      code: 'arguments_invalid',
      message: expect.stringContaining('nested more than 1000 levels deep'),
    });
  });

  it('is not stored either', async () => {
    const sql = 'CREATE TABLE notes AS SELECT $1 AS note';
    await expect(run(sql, list(1001), 'write')).rejects.toMatchObject({ code: 'arguments_invalid' });
  });

  it.each([
    list(1000),
    object(1000),
    `[${'[],'.repeat(5000)}1]`,
    `["${'['.repeat(5000)}"]`,
    `see ${list(5000)}`,
    `[INFO] ${'\u001b[1mx\u001b[0m '.repeat(5000)}`,
    '"'.repeat(5000),
  ])('is taken if it does not, text %#', async (text) => {
    expect((await run('SELECT length($1) AS n', text)).rows).toEqual([{ n: text.length }]);
  });
});
