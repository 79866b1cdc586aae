import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runScript } from '../../adapters/duckdb-native/files/script.ts';
import { buildTarget } from '../../deploy/build.ts';
import { toEngineOptions } from './artefacts.ts';
import { PLATFORMS, type Running } from './platforms.ts';
import { rawCall } from './raw.ts';

/* Rules for the tables of the SQL tools, in a project without any policy, on a built artefact of each target. */

const NAMES = ['Node over a socket', 'Lambda, API Gateway', 'Node, native engine', 'workerd'];
const PLACES = PLATFORMS.filter(({ name }) => NAMES.includes(name));
const SITE = `svc: 1
project: rules
profile: default
sql_tools:
  enabled: true
  tables:
    - { name: orders, rows: "region == 'eu' || user.role == 'manager'", hide: [cost] }
`;

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-rules-'));
  await mkdir(join(root, 'data'));
  await writeFile(join(root, 'svc-site.yml'), SITE);
  const script = `CREATE TABLE orders AS SELECT * FROM (VALUES (1, 'eu', 10), (2, 'us', 20)) t(id, region, cost);
    CREATE TABLE staff AS SELECT 1 AS id; CHECKPOINT`;
  await runScript(join(root, 'data/db-default.db'), script);
});
afterAll(() => rm(root, { recursive: true }));

it('names platforms that exist', () => expect(PLACES).toHaveLength(NAMES.length));

describe.each(PLACES)('table rules on $name', (platform) => {
  let running: Running;

  beforeAll(async () => {
    const { target, engine } = platform;
    const out = join(root, 'build', engine ?? target);
    await buildTarget({ root, public: true, target, ...toEngineOptions(engine), out });
    running = await platform.start(out);
  });
  afterAll(() => running.close());

  it.each([
    ['SELECT * FROM orders', [{ id: 1, region: 'eu' }]],
    ['SELECT count(*) AS n FROM orders', [{ n: 1 }]],
    ['SELECT sum(cost) AS c FROM orders', null],
    ['SELECT * FROM main.orders', [{ id: 1, region: 'eu' }]],
    ['SELECT * FROM "db-default".main.orders', null],
    ['SELECT * FROM staff', null],
  ])('%s', async (sql, expected) => {
    const { result } = JSON.parse(await rawCall(running.reach, 'execute_sql_query', { sql }));
    expect(result.isError ? null : (result.structuredContent?.result ?? result.structuredContent)).toEqual(
      expected,
    );
  });
});
