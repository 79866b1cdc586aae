import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openNative } from '../../../../../adapters/duckdb-native/open.ts';
import { FromDefinitions } from '../../../../../adapters/duckdb-native/query/from-definitions.ts';
import type { Database } from '../../../../../src/ports.ts';
import { Lanes } from '../../../../../src/sql/lanes/lanes.ts';

describe('what follows from definitions', () => {
  const counted = () => {
    let reads = 0;
    return async () => {
      reads += 1;
      return reads;
    };
  };

  it('is read once until definitions change', async () => {
    const lanes = new Lanes(1);
    const [kept, read] = [new FromDefinitions<number>(lanes), counted()];
    expect([await kept.get(read), await kept.get(read)]).toEqual([1, 1]);
    await lanes.change(async () => {});
    expect([await kept.get(read), await kept.get(read)]).toEqual([2, 2]);
  });

  it('is not kept if definitions change meanwhile, and not while they change', async () => {
    const lanes = new Lanes(1);
    const [kept, read] = [new FromDefinitions<number>(lanes), counted()];
    const changed = await kept.get(async () => {
      await lanes.change(async () => {});
      return read();
    });
    expect([changed, await kept.get(read)]).toEqual([1, 2]);
    const [during, again] = await lanes.change(async () => [await kept.get(read), await kept.get(read)]);
    expect([during, again, await kept.get(read)]).toEqual([3, 4, 5]);
  });

  it('is not kept from a read that failed', async () => {
    const kept = new FromDefinitions<number>(new Lanes(1));
    await expect(kept.get(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await kept.get(counted())).toBe(1);
  });
});

describe('the statement of a restricted caller, after a definition has changed', () => {
  let database: Database;
  beforeAll(async () => {
    database = await openNative({ path: ':memory:', readonly: false, threads: 1 });
    await define('CREATE TABLE people AS SELECT 1 AS id, 900 AS pay');
  });
  afterAll(() => database.close());

  const call = { caller: null, signal: new AbortController().signal, timeoutMs: 60_000 };
  const define = (sql: string) => database.run({ sql, values: [], mode: 'write', maxRows: 1 }, call);
  const tables = [
    { name: 'people', rows: null, hide: ['pay'], mask: {} },
    { name: 'more.people', rows: null, hide: ['pay'], mask: {} },
    { name: 'late', rows: null, hide: [], mask: { pay: '***' } },
    { name: 'wages', rows: null, hide: [], mask: {} },
  ];
  const read = async (sql: string) => {
    const request = {
      sql,
      values: [],
      mode: 'read',
      maxRows: 9,
      confined: true,
      restricted: tables,
    } as const;
    return (await database.run(request, call)).rows;
  };

  it('finds tables that are new, and no table that is gone', async () => {
    await expect(read('FROM late')).rejects.toThrow('late');
    expect(await read('FROM people')).toEqual([{ id: 1 }]);
    await define('CREATE TABLE late AS SELECT 2 AS id, 800 AS pay');
    expect(await read('FROM late')).toEqual([{ id: 2, pay: '***' }]);
    await define('ALTER TABLE late RENAME TO gone');
    await expect(read('FROM late')).rejects.toThrow('Table with name late does not exist');
    await expect(read('FROM gone')).rejects.toThrow('Table with name gone does not exist');
  });

  it('knows the view that a table has become', async () => {
    expect(await read('FROM people')).toEqual([{ id: 1 }]);
    await define('DROP TABLE people');
    await define('CREATE TABLE late AS SELECT 2 AS id, 800 AS pay');
    await define('CREATE VIEW people AS SELECT id, pay, pay AS wage FROM late');
    // As a table, it would be read after the masked table has taken the name.
    expect(await read('SELECT people.* FROM people, late')).toEqual([{ id: 2, wage: 800 }]);
  });

  it('is refused as soon as two tables have the name of a rule', async () => {
    await define('CREATE SCHEMA more');
    await define('CREATE TABLE more.people AS SELECT 3 AS id, 700 AS pay');
    expect(await read('FROM "more.people"')).toEqual([{ id: 3 }]);
    await define('CREATE TABLE main."more.people" AS SELECT 4 AS id, 600 AS pay');
    await expect(read('FROM "more.people"')).rejects.toMatchObject({ code: 'project_invalid' });
  });

  it('reads a table that generates a column by a macro or a type of the project, and any column of its name', async () => {
    await define('CREATE MACRO twice(x) AS x * 2');
    await define("CREATE TYPE mood AS ENUM ('calm')");
    await define(
      "CREATE OR REPLACE TABLE late (id INTEGER, pay INTEGER AS (twice(id)), mood mood AS ('calm'::mood))",
    );
    await define('INSERT INTO late VALUES (6)');
    await define('CREATE TABLE wages AS SELECT 7 AS late');
    expect(await read('FROM late')).toEqual([{ id: 6, pay: '***', mood: 'calm' }]);
    expect(await read('SELECT late FROM wages')).toEqual([{ late: 7 }]);
    expect(await read('SELECT id, late FROM late, wages')).toEqual([{ id: 6, late: 7 }]);
  });

  it('is refused as soon as a table has a VARIANT', async () => {
    await define('CREATE OR REPLACE TABLE late AS SELECT 5 AS id, 500 AS pay');
    expect(await read('FROM late')).toEqual([{ id: 5, pay: '***' }]);
    await define('ALTER TABLE late ADD COLUMN more VARIANT');
    await expect(read('FROM late')).rejects.toThrow('which may have values of the type VARIANT');
  });
});
