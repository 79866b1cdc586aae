import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { project, svc } from './svc.ts';

describe('svc query', () => {
  it('runs one statement: a table for people, rows with --json', async () => {
    const root = await project();
    const sql = "SELECT range AS n, 'row ' || range AS label FROM range(2)";
    const [text, json, none] = [
      await svc(['query', sql], root),
      await svc(['query', sql, '--json'], root),
      await svc(['query', 'SELECT 1 AS n, 2 AS m WHERE false'], root),
    ];
    expect(text).toMatchObject({ code: 0, stdout: 'n  label\n0  row 0\n1  row 1\n(2 rows)\n', stderr: '' });
    expect(json).toMatchObject({ code: 0, stdout: '[{"n":0,"label":"row 0"},{"n":1,"label":"row 1"}]\n' });
    expect(none).toMatchObject({ code: 0, stdout: 'n  m\n(0 rows)\n' });
    const years = await svc(['query', `SELECT 'EU' AS region, 1 AS "2024", 2 AS "2023"`], root);
    expect(years.stdout).toBe('region  2024  2023\nEU      1     2\n(1 row)\n');
  });

  it('binds named parameters, never as part of the SQL', async () => {
    const root = await project();
    const sql =
      'SELECT $text AS text, $n + 1 AS n, $flag AND true AS flag, list_sum($list) AS sum, $gone IS NULL AS gone';
    const given = {
      text: "'; DROP TABLE x; --",
      n: '41',
      flag: 'true',
      list: '[1, 2, 3]',
      gone: 'null',
    };
    const params = Object.entries(given).flatMap(([key, value]) => ['--param', `${key}=${value}`]);
    const { code, stdout } = await svc(['query', sql, ...params, '--json'], root);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual([{ text: given.text, n: 42, flag: true, sum: 6, gone: true }]);
  });

  it('keeps all digits of integers, also in lists and objects, and of a file', async () => {
    const root = await project();
    writeFileSync(join(root, 'list.json'), '[9007199254740993, 1]\n');
    writeFileSync(join(root, 'one.json'), '9007199254740993\n');
    const params = [
      'list=@list.json',
      'one=@one.json',
      'own={"a": [9007199254740993], "b": 1e3, "huge": [340282366920938463463374607431768211455]}',
    ];
    const sql =
      'SELECT list_sum($list)::VARCHAR AS sum, ($one + 0)::VARCHAR AS one, $own.a[1]::VARCHAR AS a, typeof($own.b) AS b, typeof($own.huge) AS huge';
    const given = params.flatMap((param) => ['--param', param]);
    const { stdout, stderr } = await svc(['query', sql, ...given, '--json'], root);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject([
      {
        sum: '9007199254740994',
        one: '9007199254740993',
        a: '9007199254740993',
        b: 'INTEGER',
        huge: 'VARCHAR[]',
      },
    ]);
  });

  it.each([
    ['01067', 'VARCHAR', '01067'],
    ['-007', 'VARCHAR', '-007'],
    ['1e5', 'VARCHAR', '1e5'],
    ['1e400', 'VARCHAR', '1e400'],
    ['.5', 'VARCHAR', '.5'],
    ['-0', 'VARCHAR', '-0'],
    [' 7', 'VARCHAR', ' 7'],
    ['"7"', 'VARCHAR', '7'],
    ['7', 'INTEGER', '7'],
    ['170141183460469231731687303715884105727', 'HUGEINT', '170141183460469231731687303715884105727'],
    ['170141183460469231731687303715884105728', 'VARCHAR', '170141183460469231731687303715884105728'],
    ['0.1', 'DECIMAL(2,1)', '0.1'],
    ['-12.50', 'DECIMAL(4,2)', '-12.50'],
    ['12345678901234567.89', 'DECIMAL(19,2)', '12345678901234567.89'],
    [`0.${'1'.repeat(40)}`, 'VARCHAR', `0.${'1'.repeat(40)}`],
  ])('binds %s as it is written, as %s', async (given, type, text) => {
    const root = await project();
    const sql = 'SELECT typeof(p) AS type, p::VARCHAR AS text FROM (SELECT $p AS p)';
    const { stdout, stderr } = await svc(['query', sql, '--param', `p=${given}`, '--json'], root);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual([{ type, text }]);
  });

  it('calculates with decimals exactly, also of a file', async () => {
    const root = await project();
    writeFileSync(join(root, 'price.json'), '12345678901234567.89\n');
    const sql = "SELECT ($p + $q)::VARCHAR AS sum, '$p' AS quoted";
    const args = ['--param', 'p=@price.json', '--param', 'q=0.01', '--json'];
    expect((await svc(['query', sql, ...args], root)).stdout).toBe(
      '[{"sum":"12345678901234567.90","quoted":"$p"}]\n',
    );
  });

  it('keeps the digits of numbers in lists and objects that a DOUBLE would round, as text', async () => {
    const param = 'own={"near": 0.1, "long": 12345678901234567.89, "far": [1e400], "half": 2.50}';
    const sql = 'SELECT typeof($own) AS type, $own.long AS long, $own.far[1] AS far';
    const { stdout } = await svc(['query', sql, '--param', param, '--json'], await project());
    expect(JSON.parse(stdout)).toEqual([
      {
        type: 'STRUCT(near DOUBLE, long VARCHAR, far VARCHAR[], half DOUBLE)',
        long: '12345678901234567.89',
        far: '1e400',
      },
    ]);
  });

  it('takes the statement from a file', async () => {
    const root = await project();
    writeFileSync(join(root, 'sql/answer.sql'), '-- the answer\nSELECT 42 AS answer;\n');
    expect(await svc(['query', '--file', 'sql/answer.sql', '--json'], root)).toMatchObject({
      code: 0,
      stdout: '[{"answer":42}]\n',
    });
  });

  // Requirements: env.SVC_READONLY
  it('writes to a read-write database, and to no other', async () => {
    const root = await project();
    const site = join(root, 'svc-site.yml');
    writeFileSync(site, readFileSync(site, 'utf8').replace(/readonly: true/, 'readonly: false'));
    const writable = { SVC_READONLY: 'false' };
    expect((await svc(['query', 'CREATE TABLE t AS SELECT 1 AS n'], root, writable)).code).toBe(0);
    expect((await svc(['query', 'INSERT INTO t VALUES ($n)', '--param', 'n=2'], root, writable)).code).toBe(
      0,
    );
    const read = await svc(['query', 'SELECT sum(n) AS n FROM t', '--json'], root, { SVC_READONLY: 'true' });
    expect(read.stdout).toBe('[{"n":3}]\n');
    for (const [sql, problem] of [
      ['INSERT INTO t VALUES (3)', /This statement writes \(INSERT\), but .*read-only/s],
      ['DROP TABLE t', /This statement writes \(DROP\), but .*read-only/s],
      ["ATTACH 'other.db' AS o", /Only queries run on .*, which is open read-only, and ATTACH is none\./],
      ['EXPLAIN SELECT 1', /Only queries run on .*, which is open read-only, and EXPLAIN is none\./],
    ] as const) {
      const { code, stderr } = await svc(['query', sql], root, { SVC_READONLY: 'true' });
      expect({ sql, code }).toEqual({ sql, code: 1 });
      expect(stderr).toMatch(problem);
    }
  });

  it.each(['-- top\nSELECT 1 AS n', '--top\nSELECT 1 AS n'])(
    'takes a statement that begins with a comment: %j',
    async (sql) => {
      expect(await svc(['query', sql, '--json'], await project())).toMatchObject({
        code: 0,
        stdout: '[{"n":1}]\n',
      });
    },
  );

  it('names a misspelt verb, also on a read-only database, instead of a write', async () => {
    const { code, stderr } = await svc(['query', 'SELEC 1'], await project());
    expect(code).toBe(2);
    expect(stderr).toMatch(/No statement begins with SELEC\. Did you mean SELECT\?/);
  });

  it('calls an unknown verb a mistake, also on a read-only database', async () => {
    const { code, stderr } = await svc(['query', 'foo bar'], await project(), { SVC_READONLY: 'true' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: No statement begins with foo\./);
  });

  it('is not stopped by endpoints, but by the site file', async () => {
    const root = await project();
    writeFileSync(join(root, 'tools/lost.yml'), 'svc: [');
    expect(await svc(['query', 'SELECT 1 AS n', '--json'], root)).toMatchObject({
      code: 0,
      stdout: '[{"n":1}]\n',
    });
    const { code, stderr } = await svc(['query', 'SELECT 1', '--profile', 'nowhere'], root);
    expect(code).toBe(1);
    expect(stderr).toContain('nowhere');
  });

  it.each([
    [[], /takes SQL, or --file/],
    [['SELECT 1', '--file', 'x.sql'], /takes either SQL or --file/],
    [['/* nothing */'], /There is no SQL/],
    [['SELECT 1; SELECT 2'], /runs one statement/],
    [['SELECT $id, $limit', '--param', 'limt=1'], /\$id: add --param id=.*\$limt\. Did you mean limit\?/s],
    [['SELECT $1'], /positional parameter/],
    [['--file', 'nowhere.sql'], /cannot be read/],
  ])('refuses %j with 2', async (args, message) => {
    const { code, stdout, stderr } = await svc(['query', ...args], await project());
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });

  it('tells what the database says of bad SQL, with 1', async () => {
    const { code, stderr } = await svc(['query', 'SELECT * FROM nowhere'], await project());
    expect(code).toBe(1);
    expect(stderr).toMatch(/error: .*nowhere does not exist/);
  });
});
