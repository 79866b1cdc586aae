import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openNative } from '../../../adapters/duckdb-native/open.ts';
import { createResultCache, type ResultCache } from '../../../src/call/cache.ts';
import { callEndpoint } from '../../../src/call/pipeline.ts';
import { createRuntime, type Outcome, type Runtime } from '../../../src/call/runtime.ts';
import { compileCatalog } from '../../../src/catalog/compile.ts';
import type { RequestContext, User } from '../../../src/context.ts';
import type { JsonObject } from '../../../src/json.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { ALICE, contextOf, type EngineName, errorOf, loadTree, type Served, serveTree } from './project.ts';

const SEED = `
CREATE MACRO get_username() AS 'the one who made the view';
CREATE MACRO get_request_header(name) AS 'a header';
CREATE MACRO get_user_external_token() AS 'a token';
CREATE TABLE items AS SELECT i AS id, 'item ' || i AS name, i * 10 AS salary, 'u' || i % 64 AS owner FROM range(640) t(i);
CREATE VIEW mine AS SELECT min(id) AS id, any_value(owner) AS owner FROM items WHERE owner = get_username();
CREATE VIEW secrets AS SELECT get_request_header('x-number') AS header, get_user_external_token() AS token;
CREATE MACRO whoami() AS get_username();
DROP MACRO get_username; DROP MACRO get_request_header; DROP MACRO get_user_external_token`;

const endpoint = (
  name: string,
  sql: string,
  more = '',
  ttl: string | null = '30s',
): readonly [string, string] => [
  `tools/${name}.yml`,
  `svc: 1\ntool:\n  name: ${name}\n  description: d\n${more}${ttl === null ? '' : `  cache: { ttl: ${ttl} }\n`}  source: { code: "${sql}" }\n`,
];
const ID = '  parameters: [{ name: id, type: integer }]\n';
const POLICY = `  policies:
    output:
      - { condition: "user.role != 'boss'", action: mask_fields, fields: [salary], reason: r }
    input:
      - { condition: "user.username == 'u3'", action: deny, reason: r }
`;

const TREE = Object.fromEntries([
  endpoint('one', 'SELECT id, name FROM items WHERE id = $id', ID),
  endpoint(
    'text',
    'SELECT get_username() AS owner, get_user_email() AS email, get_user_provider() AS provider',
  ),
  endpoint('rows', 'SELECT min(id) AS id, any_value(owner) AS owner FROM items WHERE owner = get_username()'),
  endpoint('view', 'SELECT id, owner FROM mine'),
  endpoint('macro', 'SELECT whoami() AS owner'),
  endpoint('secrets', 'SELECT header, token FROM secrets'),
  endpoint('masked', 'SELECT id, salary FROM items WHERE id = $id', ID + POLICY),
  endpoint('chance', 'SELECT random() AS v'),
  endpoint('failing', "SELECT CASE WHEN count(*) > 640 THEN 1 ELSE error('not yet') END AS v FROM items"),
  endpoint('large', "SELECT repeat('x', 100000) AS v, $id AS id", ID),
  endpoint('add', "INSERT INTO items VALUES ($id, 'added', 0, 'nobody')", ID, null),
]);

const userOf = (user: Partial<User>): User => ({ ...ALICE, ...user });
const numbered = (number: number): RequestContext => ({
  ...contextOf(
    userOf({ username: `u${number}`, email: `u${number}@acme.com`, externalToken: `token ${number}` }),
  ),
  headers: () => new Map([['x-number', String(number)]]),
});

/** A server whose clock a test sets. */
async function serve(engine: EngineName) {
  const served: Served = await serveTree(TREE, SEED, engine);
  const clock = { at: 1_000_000 };
  const runtime: Runtime = { ...served.runtime, cache: createResultCache(), clock: { now: () => clock.at } };
  const call = async (name: string, args: JsonObject = {}, context = contextOf()) => {
    const entry = runtime.catalog.tools[name];
    if (entry === undefined) throw new Error(`no tool ${name}`);
    const { value } = (await callEndpoint({ runtime, entry, args, context })) as Outcome;
    return { rows: value as readonly JsonObject[], cached: served.records.at(-1)?.cached };
  };
  return { served, clock, runtime, call };
}

describe.each<EngineName>(['wasm', 'native', 'native, read-write', 'native, own process'])(
  'results kept for a time, %s',
  (engine) => {
    let server: Awaited<ReturnType<typeof serve>>;
    beforeAll(async () => {
      server = await serve(engine);
    });
    afterAll(() => server.served.close());
    const CALLERS = 64;

    it.each(['text', 'rows', 'view', 'macro'])('are the own row of each of 64 callers: %s', async (name) => {
      for (let round = 0; round < 3; round += 1) {
        const answers = Array.from({ length: CALLERS }, async (_, number) => {
          const { rows } = await server.call(name, {}, numbered(number));
          return rows[0]?.owner;
        });
        expect(await Promise.all(answers)).toEqual(
          Array.from({ length: CALLERS }, (_, number) => `u${number}`),
        );
      }
      expect((await server.call(name, {}, numbered(5))).cached).toBe(true);
    });

    it('tell apart callers that differ in one fact, and those that nobody signed in', async () => {
      const users = [
        { username: 'same', email: 'one@acme.com' },
        { username: 'same', email: 'other@acme.com' },
        { username: 'same', email: 'one@acme.com', provider: 'other' },
        { username: 'same', email: null },
        { username: null, email: 'one@acme.com' },
      ];
      for (let round = 0; round < 3; round += 1) {
        for (const user of users) {
          const { rows } = await server.call('text', {}, contextOf(userOf(user)));
          expect(rows).toEqual([
            { owner: user.username, email: user.email, provider: user.provider ?? 'acme' },
          ]);
        }
        expect((await server.call('text')).rows).toEqual([{ owner: null, email: null, provider: null }]);
      }
    });

    it('hold no header and no token, also through a view', async () => {
      for (let round = 0; round < 3; round += 1) {
        for (const number of [1, 2]) {
          const same = { ...numbered(number), user: userOf({ externalToken: `token ${number}` }) };
          const { rows } = await server.call('secrets', {}, same);
          expect(rows).toEqual([{ header: null, token: null }]);
        }
      }
    });

    it('are kept from the first call until their time is over, also those of chance', async () => {
      const first = await server.call('chance');
      expect(first.cached).toBe(false);
      server.clock.at += 29_999;
      expect(await server.call('chance')).toEqual({ rows: first.rows, cached: true });
      server.clock.at += 1;
      const later = await server.call('chance');
      expect(later.cached).toBe(false);
      expect(later.rows).not.toEqual(first.rows);
      server.clock.at -= 5_000;
      expect((await server.call('chance')).cached).toBe(false);
    });

    it('meet the policies of each call', async () => {
      const boss = contextOf(userOf({ role: 'boss' }));
      const staff = contextOf(userOf({ role: 'staff' }));
      const denied = contextOf(userOf({ username: 'u3', role: 'boss' }));
      for (let round = 0; round < 3; round += 1) {
        expect((await server.call('masked', { id: 4 }, boss)).rows).toEqual([{ id: 4, salary: 40 }]);
        const { rows, cached } = await server.call('masked', { id: 4 }, staff);
        expect(rows[0]?.salary).not.toBe(40);
        expect(cached).toBe(true);
        expect((await errorOf(server.call('masked', { id: 4 }, denied))).code).toBe('denied');
      }
    });

    it('have records of their own for each call', async () => {
      const before = server.served.records.length;
      for (const id of [8, 8, 9]) await server.call('one', { id }, numbered(1));
      const made = server.served.records.slice(before);
      expect(made.map(({ cached, args }) => [args.id, cached])).toEqual([
        [8, false],
        [8, true],
        [9, false],
      ]);
    });

    it('take a bounded number of bytes', async () => {
      for (let id = 0; id < 50; id += 1) await server.call('large', { id });
      expect((await server.call('large', { id: 49 })).cached).toBe(true);
      expect((await server.call('large', { id: 0 })).cached).toBe(false);
    });
  },
);

describe('results kept for a time where data changes', () => {
  it('are those of before a write until their time is over, and no error is kept', async () => {
    const { served, clock, call } = await serve('native, read-write');
    onTestFinished(() => served.close());
    expect((await call('one', { id: 700 })).rows).toEqual([]);
    expect((await errorOf(call('failing'))).code).toBe('sql_failed');
    await call('add', { id: 700 });
    expect((await call('failing')).rows).toEqual([{ v: 1 }]);
    expect(await call('one', { id: 700 })).toEqual({ rows: [], cached: true });
    clock.at += 30_000;
    expect((await call('one', { id: 700 })).rows).toEqual([{ id: 700, name: 'added' }]);
  });

  it('are those of a file, until its time is over or a reload opens the database again', async () => {
    const root = temporaryFolder();
    const file = join(root, 'prices.csv');
    const catalog = await compileCatalog(
      await loadTree(Object.fromEntries([endpoint('prices', `FROM read_csv('${file}')`)])),
    );
    const entry = catalog.tools.prices;
    if (entry === undefined) throw new Error('no tool prices');
    const cache: ResultCache = createResultCache();
    const open = async () => {
      const database = await openNative({ path: ':memory:', readonly: true, external: true, root });
      onTestFinished(() => database.close());
      return {
        ...createRuntime({ catalog, open: async () => database, log: () => {}, cache }),
        clock: { now: () => 0 },
      };
    };
    const call = async (runtime: Runtime) =>
      ((await callEndpoint({ runtime, entry, args: {}, context: contextOf() })) as Outcome).value;
    const before = await open();
    await writeFile(file, 'price\n1\n');
    expect(await call(before)).toEqual([{ price: 1 }]);
    await writeFile(file, 'price\n2\n');
    expect(await call(before)).toEqual([{ price: 1 }]);
    expect(await call(await open())).toEqual([{ price: 2 }]);
  });
});
