import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWasmPool } from '../../../../../adapters/duckdb-wasm/pool/open.ts';
import { buildWasm } from '../../../../../scripts/build-wasm.ts';
import type { Database } from '../../../../../src/ports.ts';
import { callerNamed, createDatabase, openHere, openShared, read } from '../fixture.ts';

let database: Database;
beforeAll(async () => {
  await buildWasm();
  database = await openShared();
});
afterAll(() => database.close());

const ALL = `SELECT get_user_external_token() AS token, get_username() AS username, get_user_provider() AS provider,
  get_user_email() AS email, get_request_header('X-Name') AS header, get_request_headers_json() AS headers`;

describe('the functions about the caller', () => {
  it('answer for the call they are in', async () => {
    const { rows } = await read(database, ALL, { caller: callerNamed('ada') });
    expect(rows).toEqual([
      {
        token: 'token of ada',
        username: 'ada',
        provider: 'idp',
        email: 'ada@example.com',
        header: 'ada',
        headers: '{"x-name":"ada"}',
      },
    ]);
  });

  it('answer NULL when nobody is authenticated, and where a fact or header is missing', async () => {
    const nothing = { token: null, username: null, provider: null, email: null, header: null, headers: null };
    expect((await read(database, ALL)).rows).toEqual([nothing]);
    const stranger = { externalToken: null, username: null, provider: null, email: null, headers: null };
    expect((await read(database, ALL, { caller: stranger })).rows).toEqual([nothing]);
    const { rows } = await read(
      database,
      "SELECT get_request_header('none') AS a, get_request_header(NULL) AS b",
      {
        caller: callerNamed('ada'),
      },
    );
    expect(rows).toEqual([{ a: null, b: null }]);
  });

  it('keep text as it is, however odd', async () => {
    const email = `'; DROP TABLE users; --\0 🦆 ${'x'.repeat(5000)}`;
    const { rows } = await read(database, 'SELECT get_user_email() AS email', {
      caller: { ...callerNamed('ada'), email },
    });
    expect(rows).toEqual([{ email }]);
  });

  it('take a column, row by row', async () => {
    const { rows } = await read(
      database,
      `SELECT name, get_request_header(name) AS value FROM (VALUES ('x-name'), (NULL), ('X-NAME'), ('y')) v(name)`,
      { caller: callerNamed('ada') },
    );
    expect(rows.map(({ value }) => value)).toEqual(['ada', null, 'ada', null]);
  });

  it('work inside views and macros of the database', async () => {
    const path = await createDatabase(`
      CREATE TABLE notes AS SELECT 'n' || i AS owner, i AS note FROM range(10) r(i);
      CREATE MACRO get_username() AS NULL::VARCHAR;
      CREATE VIEW mine AS SELECT note FROM notes WHERE owner = get_username();
      DROP MACRO get_username;`);
    const here = await openHere(path);
    for (const note of [3, 7]) {
      const { rows } = await read(here, 'FROM mine', { caller: callerNamed(`n${note}`) });
      expect(rows).toEqual([{ note }]);
    }
  });

  it('never answer one caller for another, though all run in turns on one engine', async () => {
    const sql = `SELECT get_user_email() AS planned, count(DISTINCT get_request_header('x-name' || left(i::VARCHAR, 0))) AS n,
      any_value(get_request_header('x-name' || left(i::VARCHAR, 0))) AS running FROM range(30000) r(i)`;
    const names = Array.from({ length: 20 }, (_, index) => `user${index}`);
    const results = await Promise.all(
      names.map((name) => read(database, sql, { caller: callerNamed(name) })),
    );
    expect(results.map(({ rows }) => rows[0])).toEqual(
      names.map((name) => ({ planned: `${name}@example.com`, n: 1, running: name })),
    );
  });

  it('never answer one caller for another in a pool', async () => {
    const pool = await openWasmPool({ path: await createDatabase(), workers: 2 });
    const calls = Array.from({ length: 400 }, async (_, index) => {
      const name = `user${index % 50}`;
      const { rows } = await read(pool, 'SELECT get_username() AS name', { caller: callerNamed(name) });
      return rows[0]?.name === name;
    });
    expect((await Promise.all(calls)).filter((right) => !right)).toEqual([]);
    await pool.close();
  });

  it('cannot be replaced by a statement', async () => {
    for (const sql of ['CREATE MACRO get_username() AS 1', 'CREATE TEMP MACRO get_username() AS 1']) {
      await expect(read(database, sql)).rejects.toThrow();
    }
    const { rows } = await read(database, 'SELECT get_username() AS name', { caller: callerNamed('ada') });
    expect(rows).toEqual([{ name: 'ada' }]);
  });
});

describe('the functions about today', () => {
  it('answer in UTC', async () => {
    const { rows } = await read(
      database,
      `SELECT current_date AS a, today() AS b, current_localtimestamp()::DATE AS c, now()::TIMESTAMP::DATE AS d,
        date_diff('second', current_localtimestamp(), now()::TIMESTAMP) AS apart`,
    );
    const { a, b, c, d, apart } = rows[0] ?? {};
    expect(new Set([a, b, c, d]).size).toBe(1);
    expect(a).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(Math.abs(Number(apart))).toBeLessThan(2);
  });
});
