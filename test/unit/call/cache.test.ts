import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toAuditRecord } from '../../../src/audit/record.ts';
import { createResultCache } from '../../../src/call/cache.ts';
import { callEndpoint } from '../../../src/call/pipeline.ts';
import type { Outcome } from '../../../src/call/runtime.ts';
import type { RequestContext, User } from '../../../src/context.ts';
import { cancelledError, deadlineError } from '../../../src/errors.ts';
import type { JsonObject } from '../../../src/json.ts';
import type { Database } from '../../../src/ports.ts';
import { tool } from '../mcp/fixture.ts';
import { ALICE, contextOf, type EngineName, errorOf, type Served, SITE, serveTree } from './project.ts';

const SEED = `
CREATE TABLE items AS SELECT i AS id, 'item ' || i AS name, i * 10 AS salary, 'u' || i % 4 AS owner FROM range(40) t(i);
CREATE TABLE doubles AS SELECT 0.0::DOUBLE AS d;
CREATE MACRO get_username() AS 'the one who made the view';
CREATE VIEW mine AS SELECT * FROM items WHERE owner = get_username();
CREATE VIEW behind AS SELECT count(*) AS n, any_value(owner) AS owner FROM mine;
CREATE VIEW timed AS SELECT now() AS at, uuid() AS chance;
CREATE VIEW ΧΡΟΝΟΣ AS SELECT now() AS at;
CREATE TABLE computed (id INTEGER, read_at TIMESTAMPTZ GENERATED ALWAYS AS (now()));
INSERT INTO computed (id) VALUES (1);
CREATE MACRO whoami() AS get_username();
DROP MACRO get_username;
CREATE SEQUENCE numbers`;

const endpoint = (name: string, sql: string, more = '') =>
  `svc: 1\ntool:\n  name: ${name}\n  description: d\n${more}  source: { code: "${sql}" }\n`;
const ID = '  parameters: [{ name: id, type: integer }]\n';
const POLICY = `  policies:
    output:
      - { condition: "user.role != 'boss'", action: mask_fields, fields: [salary], reason: r }
    input:
      - { condition: "user.username == 'u3'", action: deny, reason: r }
`;

const KEPT = {
  one: endpoint('one', 'SELECT id, name FROM items WHERE id = $id', ID),
  masked: endpoint('masked', 'SELECT id, salary FROM items WHERE id = $id', ID + POLICY),
  shaped: endpoint('shaped', 'SELECT name FROM items WHERE id = $id', `${ID}  return: { type: string }\n`),
  all: endpoint('all', 'SELECT id, name FROM items ORDER BY id', '  limits: { rows: 5 }\n'),
  typed: endpoint(
    'typed',
    'SELECT typeof($value) AS type, 1 / $value AS inverse FROM doubles',
    '  parameters: [{ name: value, type: number }]\n',
  ),
};
const NOT_KEPT = {
  caller: endpoint(
    'caller',
    'SELECT get_username() AS who, count(*) AS n FROM items WHERE owner = get_username()',
  ),
  view: endpoint('view', 'SELECT * FROM behind'),
  macro: endpoint('macro', 'SELECT whoami() AS owner'),
  clock: endpoint('clock', 'SELECT epoch_us(now()) AS at FROM items LIMIT 1'),
  timed: endpoint('timed', 'SELECT * FROM timed'),
  text: endpoint('text', "SELECT * FROM 'timed'"),
  greek: endpoint('greek', 'SELECT * FROM ΧΡΟΝΟΣ'),
  computed: endpoint('computed', 'SELECT * FROM computed'),
  chance: endpoint('chance', 'SELECT random() AS x, uuid() AS y'),
  sample: endpoint('sample', 'SELECT id FROM items USING SAMPLE 3'),
  setting: endpoint('setting', "SELECT current_setting('memory_limit') AS most"),
  limited: endpoint('limited', 'SELECT id FROM items WHERE id = 1', '  limits: { scan_rows: 100000 }\n'),
  catalogue: endpoint('catalogue', 'SELECT table_name FROM duckdb_tables()'),
};
const userOf = (user: Partial<User>): User => ({ ...ALICE, ...user });
const files = (endpoints: { readonly [name: string]: string }) =>
  Object.fromEntries(Object.entries(endpoints).map(([name, text]) => [`tools/${name}.yml`, text]));

describe.each<EngineName>(['wasm', 'native', 'native, read-write'])('cached results, %s', (engine) => {
  let served: Served;
  beforeAll(async () => {
    const made = await serveTree({ 'svc-site.yml': SITE, ...files(KEPT), ...files(NOT_KEPT) }, SEED, engine);
    served = { ...made, runtime: { ...made.runtime, cache: createResultCache() } };
  });
  afterAll(() => served.close());
  const keeps = engine !== 'native, read-write';

  const call = async (name: string, args: JsonObject = {}, context: RequestContext = contextOf()) => {
    const { runtime } = served;
    const entry = runtime.catalog.tools[name];
    if (entry === undefined) throw new Error(`no tool ${name}`);
    const { value } = (await callEndpoint({ runtime, entry, args, context })) as Outcome;
    return { value, cached: lastRecord().cached };
  };
  const lastRecord = () => {
    const record = served.records.at(-1);
    if (record === undefined) throw new Error('no record');
    return toAuditRecord(record, { inputs: true, outputs: true });
  };

  it('come from the third call with the same arguments on, and are the row that was asked', async () => {
    const cached: (boolean | undefined)[] = [];
    for (let round = 0; round < 4; round += 1) {
      for (const id of [1, 2, 3]) {
        const answer = await call('one', { id });
        expect(answer.value).toEqual([{ id, name: `item ${id}` }]);
        if (id === 2) cached.push(answer.cached);
      }
    }
    expect(cached).toEqual(
      keeps ? [undefined, false, true, true] : [undefined, undefined, undefined, undefined],
    );
    expect(lastRecord()).toMatchObject({ result_count: 1, output_data: [{ id: 3, name: 'item 3' }] });
  });

  it('belong to one endpoint, with its shape and its limits', async () => {
    for (let round = 0; round < 4; round += 1) {
      expect((await call('one', { id: 7 })).value).toEqual([{ id: 7, name: 'item 7' }]);
      expect((await call('shaped', { id: 7 })).value).toBe('item 7');
      expect((await call('all')).value).toHaveLength(5);
    }
  });

  it('meet the policies of each caller, unchanged by those of another', async () => {
    const boss = contextOf(userOf({ username: 'u1', role: 'boss' }));
    const other = contextOf(userOf({ username: 'u2', role: 'staff' }));
    const denied = contextOf(userOf({ username: 'u3', role: 'staff' }));
    for (let round = 0; round < 4; round += 1) {
      expect((await call('masked', { id: 4 }, boss)).value).toEqual([{ id: 4, salary: 40 }]);
      const [row] = (await call('masked', { id: 4 }, other)).value as readonly JsonObject[];
      expect(row?.salary).not.toBe(40);
      expect((await errorOf(call('masked', { id: 4 }, denied))).code).toBe('denied');
    }
    expect((await call('masked', { id: 4 }, boss)).cached).toBe(keeps ? true : undefined);
  });

  it('tell apart values that look alike', async () => {
    for (let round = 0; round < 4; round += 1) {
      const inverses = [];
      for (const value of [0.5, 2, 1e300, 5e-324]) {
        const [row] = (await call('typed', { value })).value as readonly JsonObject[];
        inverses.push(row?.inverse);
      }
      expect(new Set(inverses.map(String)).size).toBe(4);
    }
  });

  it.each(Object.keys(NOT_KEPT))('are none of %s', async (name) => {
    for (let round = 0; round < 3; round += 1) {
      for (const username of ['u1', 'u2']) {
        const { value, cached } = await call(name, {}, contextOf(userOf({ username })));
        expect(cached).not.toBe(true);
        const text = JSON.stringify(value);
        if (['caller', 'view', 'macro'].includes(name)) expect(text).toContain(`"${username}"`);
      }
    }
  });
});

describe('a macro in the place of an operator', () => {
  it('keeps no results, because no word names it', async () => {
    const sum = endpoint('sum', 'SELECT 1 + 1 AS sum');
    const seed = 'CREATE MACRO "+"(a, b) AS now()';
    const served = await serveTree({ 'svc-site.yml': SITE, ...files({ sum }) }, seed, 'native');
    try {
      const runtime = { ...served.runtime, cache: createResultCache() };
      const entry = runtime.catalog.tools.sum;
      if (entry === undefined) throw new Error('no tool sum');
      const call = () => callEndpoint({ runtime, entry, args: {}, context: contextOf() });
      for (let round = 0; round < 3; round += 1) await call();
      expect(served.records.map(({ cached }) => cached)).toEqual([undefined, undefined, undefined]);
    } finally {
      await served.close();
    }
  });
});

it('a caller who leaves ends no call of another that waits for the same views', async () => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const database: Database = {
    engine: 'duckdb-wasm',
    readonly: true,
    unchanging: true,
    run: async (_request, { signal }) => {
      asked.resolve();
      await answer.promise;
      if (signal.aborted) throw cancelledError();
      return { columns: [], rows: [], truncated: false };
    },
    prepare: async () => [],
    close: async () => {},
  };
  const cache = createResultCache();
  const entry = tool('numbers', { sql: 'SELECT 1 AS n' });
  const request = { sql: 'SELECT 1 AS n', values: [], mode: 'read', maxRows: 1 } as const;
  const find = ({ signal }: AbortController) =>
    cache.find({ entry, database, request, call: { signal, caller: null, timeoutMs: 1_000 }, now: 0 });
  const [leaving, staying] = [new AbortController(), new AbortController()];
  expect(await find(staying)).toBeNull();
  const first = find(leaving).catch(() => null);
  const second = find(staying);
  await asked.promise;
  leaving.abort();
  answer.resolve();
  expect(await second).toMatchObject({ found: null });
  await first;
});

/** Asks a new cache for the results of one query of a database that answers by `run`. */
function asking(run: Database['run']) {
  const unchanging = { engine: 'duckdb-wasm', readonly: true, unchanging: true } as const;
  const database: Database = { ...unchanging, run, prepare: async () => [], close: async () => {} };
  const cache = createResultCache();
  const entry = tool('numbers', { sql: 'SELECT 1 AS n' });
  const request = { sql: 'SELECT 1 AS n', values: [], mode: 'read', maxRows: 1 } as const;
  const { signal } = new AbortController();
  return (timeoutMs: number) =>
    cache.find({ entry, database, request, call: { signal, caller: null, timeoutMs }, now: 0 });
}

it('a list of views that cannot be read fails no call, and the next call asks again with its own time', async () => {
  const times: number[] = [];
  const find = asking(async (_request, { timeoutMs }) => {
    times.push(timeoutMs);
    if (times.length === 1) throw deadlineError('The query', timeoutMs);
    return { columns: [], rows: [], truncated: false };
  });
  expect(await find(1)).toBeNull();
  expect(await find(1)).toBeNull();
  expect(await find(60_000)).toMatchObject({ found: null });
  expect(Math.min(...times)).toBeGreaterThan(1);
});

it('a call waits for the list of views no longer than one of its statements may take', async () => {
  const listed = Promise.withResolvers<void>();
  const find = asking(async () => {
    await listed.promise;
    return { columns: [], rows: [], truncated: false };
  });
  expect(await find(1)).toBeNull();
  expect(await find(1)).toBeNull();
  listed.resolve();
  expect(await find(60_000)).toMatchObject({ found: null });
});
