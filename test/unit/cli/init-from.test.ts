import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { loadDriver } from '../../../adapters/duckdb-native/driver/driver.ts';
import { runScript } from '../../../adapters/duckdb-native/files/script.ts';
import { databaseFileOf } from '../../fixtures/database-files.ts';
import { folder, svc } from './svc.ts';

vi.setConfig({ testTimeout: 120_000 });

const HOSTILE = `
CREATE SCHEMA "a b";
CREATE TABLE "select" ("group" INTEGER PRIMARY KEY, "it's ""x""" VARCHAR, "ä: #" DATE);
CREATE TABLE "a b"."x: 'y' ""z""" ("limit" BIGINT, "$p" BOOLEAN, "日本" DOUBLE);
INSERT INTO "a b"."x: 'y' ""z""" VALUES (1, true, 0.5), (2, NULL, NULL);
CREATE TABLE "日本" (b BLOB);
CREATE TABLE secrets (password VARCHAR, "user" VARCHAR, token VARCHAR, "at" TIMESTAMP);
`;

/** Keys of UUIDs, views, one of which cannot be read, and a table without rows. */
const VIEWS = `
CREATE TABLE events (id UUID PRIMARY KEY, n INTEGER);
INSERT INTO events SELECT ('00000000-0000-4000-8000-' || lpad((1000 - i)::VARCHAR, 12, '0'))::UUID, i FROM range(1000) t(i);
CREATE VIEW late AS SELECT * FROM events WHERE n > 990;
CREATE TABLE gone AS SELECT 1 AS x;
CREATE VIEW broken AS SELECT * FROM gone;
DROP TABLE gone;
CREATE TABLE nothing (id INTEGER PRIMARY KEY, day DATE);
`;

/** Files of every format, each with a table. */
async function write(root: string): Promise<void> {
  writeFileSync(join(root, 'a.duckdb'), databaseFileOf('1.0.0'));
  writeFileSync(join(root, 'b.csv'), 'id,name\n1,Ada\n2,Bo\n');
  writeFileSync(join(root, 'empty.csv'), 'id,name\n');
  writeFileSync(join(root, 'c.json'), '[{"id":1,"tags":["x"]}]');
  await runScript(join(root, 'd.db'), `COPY (SELECT 7 AS n) TO '${join(root, 'd.parquet')}'`);
  await runScript(join(root, 'hostile.duckdb'), HOSTILE);
  await runScript(join(root, 'views.duckdb'), VIEWS);
  writeFileSync(join(root, "it's & $(x);.csv"), 'id\n1\n');
}

describe('svc init --from', () => {
  it('shows the columns and types that it took from the data', async () => {
    const root = folder();
    await write(root);
    const columns = Array.from({ length: 23 }, (_, index) => `c${index}`);
    writeFileSync(join(root, 'wide.csv'), `${columns.join(',')}\n${columns.map(() => 1).join(',')}\n`);
    writeFileSync(join(root, 'years.csv'), 'country,2022\nCH,1\nDE,2\n');
    const from = ['--from', 'b.csv', '--from', 'years.csv', '--from', 'wide.csv', '--yes'];
    const { stdout } = await svc(['init', 'shown', ...from], root);
    expect(stdout).toContain('\n  table b: id BIGINT, name VARCHAR\n');
    expect(stdout).toContain('\n  table years: column0 VARCHAR, column1 BIGINT\n');
    expect(stdout).toMatch(/\n {2}table wide: c0 BIGINT, .*, c19 BIGINT, and 3 more\n/);
    const told = await svc(['init', 'told', '--from', 'b.csv', '--json'], root);
    expect(JSON.parse(told.stdout).tables).toEqual([
      {
        name: 'b',
        columns: [
          { name: 'id', type: 'BIGINT' },
          { name: 'name', type: 'VARCHAR' },
        ],
      },
    ]);
  });

  it.each([
    ['a.duckdb', ['list_animals']],
    ["it's & $(x);.csv", ['list_it_s_x']],
    ['views.duckdb', ['list_events', 'list_late', 'list_nothing']],
    ['b.csv', ['list_b']],
    ['people=b.csv', ['list_people']],
    ['empty.csv', ['list_empty']],
    ['c.json', ['list_c']],
    ['d.parquet', ['list_d']],
    ['hostile.duckdb', ['list_c', 'list_secrets', 'list_select', 'list_x_y_z']],
  ] as const)('makes a project of %s whose checks and tests pass', async (file, tools) => {
    const root = folder();
    await write(root);
    const path = join(root, file.replace('people=', ''));
    const before = readFileSync(path);
    const made = await svc(['init', 'demo', '--from', file, '--yes', '--json'], root);
    expect([
      made.code,
      made.stderr.replace(/^note: The view (broken|young) got no tool: .*does not exist.*\n/, ''),
    ]).toEqual([0, '']);
    const project = join(root, 'demo');
    const files = tools.map((tool) => `tools/${tool}.yml`);
    expect(JSON.parse(made.stdout).files).toEqual(expect.arrayContaining([...files, 'data/db-default.db']));
    expect(await svc(['validate', '--json'], project)).toMatchObject({
      code: 0,
      stdout: '{"status":"ok","findings":[]}\n',
    });
    const linted = await svc(['lint', '--json'], project);
    expect([linted.code, JSON.parse(linted.stdout).findings]).toEqual([0, []]);
    const tested = await svc(['test'], project);
    expect([tested.code, tested.stdout]).toEqual([0, expect.stringContaining(`${tools.length} passed`)]);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(join(project, 'data'))).toEqual(['db-default.db']);
    const site = readFileSync(join(project, 'svc-site.yml'), 'utf8');
    expect(site).toMatch(/readonly: true/);
  });

  it('filters by the key, and returns what the limit allows', async () => {
    const root = folder();
    await write(root);
    await svc(['init', 'demo', '--from', 'a.duckdb', '--yes'], root);
    const call = ['run', 'tool', 'list_animals', '--json', '--param'];
    const one = await svc([...call, 'id=2'], join(root, 'demo'));
    expect(JSON.parse(one.stdout)).toEqual([{ id: 2, name: 'Bo', born: null }]);
    const two = await svc([...call, 'limit=2'], join(root, 'demo'));
    expect(JSON.parse(two.stdout)).toHaveLength(2);
  });

  it('filters by a UUID, orders by the key, and offers views', async () => {
    const root = folder();
    await write(root);
    await svc(['init', 'demo', '--from', 'views.duckdb', '--yes'], root);
    const project = join(root, 'demo');
    const ask = async (tool: string, ...params: readonly string[]) => {
      const args = params.flatMap((param) => ['--param', param]);
      return JSON.parse((await svc(['run', 'tool', tool, '--json', ...args], project)).stdout);
    };
    const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
    expect(await ask('list_events', 'limit=2')).toEqual([
      { id: idOf(1), n: 999 },
      { id: idOf(2), n: 998 },
    ]);
    expect(await ask('list_events', `id=${idOf(500)}`)).toEqual([{ id: idOf(500), n: 500 }]);
    expect(await ask('list_late', 'n=995')).toEqual([{ id: idOf(5), n: 995 }]);
    const refused = await svc(['run', 'tool', 'list_events', '--param', 'id=none'], project);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('id: must match the pattern'),
    ]);
  });

  it('writes no tool for a view over a file, which no server reads, and says so', async () => {
    const root = folder();
    writeFileSync(join(root, 'b.csv'), 'id\n1\n');
    const views = `CREATE TABLE t AS SELECT 1 AS id;
CREATE VIEW outside AS SELECT * FROM read_csv('${join(root, 'b.csv')}');`;
    await runScript(join(root, 'views.duckdb'), views);
    for (const engine of ['wasm', 'native']) {
      const env = { SVC_DATABASE_ENGINE: engine };
      const made = await svc(['init', engine, '--from', 'views.duckdb', '--yes'], root, env);
      expect([made.code, made.stderr]).toEqual([
        0,
        expect.stringMatching(/^note: The view outside got no tool: .*disabled.*\n$/),
      ]);
      expect(readdirSync(join(root, engine, 'tools'))).toEqual(['list_t.yml']);
      expect((await svc(['validate'], join(root, engine), env)).code).toBe(0);
    }
  });

  it('takes a database and files together, and says which names collide', async () => {
    const root = folder();
    await write(root);
    const both = ['--from', 'a.duckdb', '--from', 'b.csv', '--yes', '--json'];
    const made = await svc(['init', 'demo', ...both], root);
    expect(JSON.parse(made.stdout).files).toEqual(
      expect.arrayContaining(['tools/list_animals.yml', 'tools/list_b.yml']),
    );
    const twice = await svc(['init', 'x', '--from', 'a.duckdb', '--from', 'animals=b.csv', '--yes'], root);
    expect([twice.code, twice.stderr]).toEqual([1, expect.stringMatching(/--from name=path\.\n/)]);
    const databases = await svc(['init', 'x', '--from', 'a.duckdb', '--from', 'd.db', '--yes'], root);
    expect([databases.code, databases.stderr]).toEqual([2, expect.stringMatching(/only one .* database/)]);
    expect(existsSync(join(root, 'x'))).toBe(false);
  });

  it('copies the rows in the log of a database, and does not change the database or its log', async () => {
    const root = folder();
    const [source, log] = [join(root, 'live.duckdb'), join(root, 'live.duckdb.wal')];
    await writeWithLog(root, source);
    chmodSync(source, 0o400);
    const before = [readFileSync(source), readFileSync(log)];
    const made = await svc(['init', 'demo', '--from', 'live.duckdb', '--yes'], root);
    expect([made.code, made.stderr]).toEqual([0, '']);
    expect([readFileSync(source), readFileSync(log)]).toEqual(before);
    // A private database stays private.
    expect(statSync(join(root, 'demo/data/db-default.db')).mode & 0o777).toBe(0o600);
    const rows = await svc(['run', 'tool', 'list_t', '--json'], join(root, 'demo'));
    expect(JSON.parse(rows.stdout)).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it('refuses a file of DuckDB 2.0, a missing one and a broken one, and leaves no project', async () => {
    const root = folder();
    writeFileSync(join(root, 'new.duckdb'), databaseFileOf('2.0.0'));
    writeFileSync(join(root, 'broken.json'), '{"a": ');
    writeFileSync(join(root, 'text.db'), 'words');
    mkdirSync(join(root, 'exports'));
    writeFileSync(join(root, 'exports/a.csv'), 'a\n1\n');
    for (const [file, reason] of [
      ['new.duckdb', /svc convert/],
      ['none.csv', /There is no file/],
      ['exports', /exports is a folder\. Name its files, for example '.*exports\/\*\.csv'\./],
      ['none.duckdb', /There is no file/],
      ['text.db', /text\.db is a text file, not a DuckDB database\.\n *Name another file with --from/],
      ['broken.json', /broken\.json: .*[Mm]alformed JSON/],
    ] as const) {
      const refused = await svc(['init', 'demo', '--from', file, '--yes'], root);
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(reason)]);
      expect(existsSync(join(root, 'demo')), file).toBe(false);
    }
    const missing = ['none.csv', 'people=none.parquet', 'none.duckdb', 'gone.db'];
    const all = await svc(['init', 'demo', ...missing.flatMap((file) => ['--from', file]), '--yes'], root);
    expect(all.code).toBe(1);
    for (const file of missing)
      expect(all.stderr).toContain(`There is no file ${join(root, file.replace('people=', ''))}.`);
  });

  it('overwrites no database and no tool, and writes nothing then', async () => {
    const root = folder();
    await write(root);
    for (const file of ['data/db-default.db', 'data/db-default.db.wal', 'tools/list_b.yml']) {
      const project = join(root, file.replaceAll('/', '-'));
      mkdirSync(join(project, dirname(file)), { recursive: true });
      writeFileSync(join(project, file), 'mine');
      const refused = await svc(['init', project, '--from', 'b.csv', '--yes'], root);
      expect([refused.code, refused.stderr]).toEqual([
        1,
        expect.stringMatching(/exists already\. Nothing was written/),
      ]);
      expect(readdirSync(project, { recursive: true }).toSorted()).toEqual([dirname(file), file]);
      expect(readFileSync(join(project, file), 'utf8')).toBe('mine');
    }
  });

  it('refuses --bootstrap beside --from', async () => {
    const root = folder();
    const refused = await svc(['init', 'demo', '--bootstrap', '--from', 'b.csv', '--yes'], root);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/exclude each other.*Remove one/),
    ]);
    expect(existsSync(join(root, 'demo'))).toBe(false);
  });
});

/** A database whose second row is only in its log, as after a crash of the writer. */
async function writeWithLog(root: string, target: string): Promise<void> {
  const live = join(root, 'writer.db');
  const { openInstance } = await loadDriver();
  const instance = await openInstance(live);
  const connection = await instance.connect();
  await connection.run('CREATE TABLE t AS SELECT 1 AS id');
  await connection.run('CHECKPOINT');
  await connection.run('INSERT INTO t VALUES (2)');
  copyFileSync(live, target);
  copyFileSync(`${live}.wal`, `${target}.wal`);
  connection.closeSync();
  instance.closeSync();
}
