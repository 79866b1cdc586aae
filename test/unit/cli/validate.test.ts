import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, project, svc } from './svc.ts';

const TOOL = (name: string, code: string) => `svc: 1
tool:
  name: ${name}
  source:
    code: ${code}
`;

describe('svc validate', () => {
  it('says ok with 0, for people and as one document', async () => {
    const root = await project();
    const [text, json] = [await svc(['validate'], root), await svc(['validate', '--json'], root)];
    expect(text).toMatchObject({ code: 0, stdout: 'ok: 1 endpoint\n', stderr: '' });
    expect(json.code).toBe(0);
    expect(JSON.parse(json.stdout)).toEqual({ status: 'ok', findings: [] });
  });

  it('says how data of a file comes to an endpoint, which reads none itself', async () => {
    const root = await project();
    writeFileSync(join(root, 'tools/file.yml'), TOOL('file', `SELECT * FROM read_csv('x.csv')`));
    const [native, wasm] = [await svc(['validate'], root), await svc(['validate', '--target', 'node'], root)];
    expect(native.stdout).toMatch(/fix: Load the file into a table with `seed\.sql`/);
    expect(wasm.stdout).toMatch(/fix: Load the file into a table with `seed\.sql`/);
  });

  // Requirements: command.validate
  it('reports a broken rule of svc-site.yml beside all other findings', async () => {
    const root = await project();
    const site = 'sql_tools: { enabled: true, tables: [{ name: t, rows: "user.role = 1" }] }\n';
    appendFileSync(join(root, 'svc-site.yml'), site);
    writeFileSync(join(root, 'tools/broken.yml'), TOOL('broken', 'SELECT $lost AS n'));
    const { code, stdout } = await svc(['validate', '--json'], root);
    expect(code).toBe(1);
    const { findings } = JSON.parse(stdout);
    expect(findings.map(({ file, code }: Record<string, string>) => `${file} ${code}`).toSorted()).toEqual([
      'svc-site.yml policy',
      'tools/broken.yml sql-undeclared',
    ]);
  });

  // Requirements: command.validate
  it('tells with --debug what it looked at, and the code of each finding', async () => {
    const root = await project();
    writeFileSync(join(root, 'tools/broken.yml'), TOOL('broken', 'SELECT $lost AS n'));
    const [plain, debug] = [await svc(['validate'], root), await svc(['validate', '--debug'], root)];
    expect(debug.stdout.split('\n').slice(0, 2)).toEqual([
      'tools/broken.yml       tool broken       sql  1 error',
      'tools/hello_world.yml  tool hello_world  sql  ok',
    ]);
    expect(debug.stdout).toMatch(/^ +code: sql-undeclared$/m);
    expect(plain.stdout).not.toMatch(/^ +code: sql-|tool hello_world/m);
  });

  // Requirements: command.validate
  it('finds each fault of endpoints and of both configuration files, each at its place', async () => {
    const root = await project();
    const empty = folder();
    writeFileSync(
      join(root, 'tools/gone.yml'),
      'svc: 1\ntool:\n  name: gone\n  source: { file: gone.sql }\n',
    );
    writeFileSync(join(root, 'tools/less.yml'), 'svc: 1\ntool:\n  source: { code: SELECT 1 }\n');
    writeFileSync(join(root, 'tools/open.yml'), 'svc: 1\ntool:\n  name: [\n');
    const secret = `{ name: web, type: api, parameters: { key: "\${UNSET}" } }`;
    const user = `svc: 1\nprojects:\n  demo: { profiles: { default: { secrets: [${secret}] } } }\n`;
    writeFileSync(join(root, 'user.yml'), user);
    writeFileSync(
      join(root, 'svc-site.yml'),
      'svc: 1\nproject: demo\nprofile: default\nsecrets: [db]\nextensions: [lost]\n',
    );
    const env = {
      SVC_CONFIG: 'user.yml',
      SVC_EXTENSION_REPOSITORY: empty,
      SVC_EXTENSION_DIRECTORY: empty,
    };
    const validate = async (more = {}) => {
      const { code: exit, stdout } = await svc(['validate', '--json'], root, { ...env, ...more });
      const findings: { code: string; file: string; line: number }[] = JSON.parse(stdout).findings;
      return [exit, ...findings.map(({ code, file, line }) => `${basename(file)}:${line} ${code}`)];
    };
    const endpoints = ['gone.yml:4 source-missing', 'less.yml:3 missing-field', 'open.yml:4 yaml-syntax'];
    const extension = 'svc-site.yml:5 extension-unavailable';
    expect(await validate()).toEqual([1, ...endpoints, 'user.yml:3 reference-unresolved', extension]);
    const unset = await validate({ UNSET: 'x' });
    expect(unset).toEqual([1, ...endpoints, 'svc-site.yml:4 secret-undefined', extension]);
    writeFileSync(join(root, 'user.yml'), user.replace('type: api', 'kind: api'));
    expect(await validate({ UNSET: 'x' })).toContain('user.yml:3 unknown-key');
  });

  // Requirements: command.validate
  it('gives file, line, column, reason and fix of broken YAML, with 1', async () => {
    const root = await project();
    writeFileSync(
      join(root, 'tools/broken.yml'),
      'svc: 1\ntool:\n  name: broken\n  source: { code: SELECT 1\n',
    );
    const [text, json] = [await svc(['validate'], root), await svc(['validate', '--json'], root)];
    expect(text.code).toBe(1);
    expect(text.stdout).toMatch(/^tools\/broken\.yml:\d+:\d+ {2}error {2}\S.*\n +fix: \S.*$/m);
    expect(text.stdout).toMatch(/1 error, 0 warnings in 2 endpoints/);
    expect(json.code).toBe(1);
    const { status, findings } = JSON.parse(json.stdout);
    expect(status).toBe('error');
    expect(findings[0]).toMatchObject({
      severity: 'error',
      file: 'tools/broken.yml',
      line: expect.any(Number),
      column: expect.any(Number),
      message: expect.stringMatching(/\S/),
      fix: expect.stringMatching(/\S/),
    });
    expect(findings[0].line).toBeGreaterThan(1);
  });

  it('plans the SQL against the database and points at what cannot run', async () => {
    const root = await project();
    writeFileSync(join(root, 'tools/lost.yml'), TOOL('lost', 'SELECT * FROM nowhere'));
    const { code, stdout } = await svc(['validate', '--json'], root);
    expect(code).toBe(1);
    expect(JSON.parse(stdout).findings).toEqual([
      expect.objectContaining({
        severity: 'error',
        code: 'sql-failed',
        file: 'tools/lost.yml',
        line: 5,
        message: expect.stringContaining('nowhere'),
      }),
    ]);
  });

  // Requirements: command.validate
  it('looks at one file when one is named', async () => {
    const root = await project();
    writeFileSync(join(root, 'tools/lost.yml'), TOOL('lost', 'SELECT * FROM nowhere'));
    const sound = await svc(['validate', 'tools/hello_world.yml'], root);
    expect(sound).toMatchObject({ code: 0, stdout: 'ok: tools/hello_world.yml\n' });
    const broken = await svc(['validate', '../tools/lost.yml'], join(root, 'sql'));
    expect(broken.code).toBe(1);
    for (const other of ['tools/none.yml', '/etc/passwd']) {
      const { code, stderr } = await svc(['validate', other], root);
      expect(code).toBe(2);
      expect(stderr).toContain('is not an endpoint file of this project');
    }
  });

  it('keeps the reasons why a named file was not checked', async () => {
    const root = await project();
    const codes = async () => {
      const { code, stdout } = await svc(['validate', 'tools/hello_world.yml', '--json'], root);
      return { code, codes: JSON.parse(stdout).findings.map((one: { code: string }) => one.code) };
    };
    rmSync(join(root, 'data'), { recursive: true });
    rmSync(join(root, 'seed.sql'), { force: true });
    expect(await codes()).toEqual({ code: 0, codes: ['sql-not-checked'] });
    mkdirSync(join(root, 'data'));
    writeFileSync(join(root, 'data/demo.duckdb'), 'no database');
    const site = readFileSync(join(root, 'svc-site.yml'), 'utf8').replace(
      /path: .*/,
      'path: data/demo.duckdb',
    );
    writeFileSync(join(root, 'svc-site.yml'), site);
    expect(await codes()).toEqual({ code: 1, codes: ['database-unreadable'] });
    writeFileSync(join(root, 'svc-site.yml'), `${site}profil: x\n`);
    expect(await codes()).toEqual({ code: 1, codes: ['unknown-key'] });
    writeFileSync(join(root, 'svc-site.yml'), 'svc: [1\n');
    expect(await codes()).toEqual({ code: 1, codes: ['yaml-syntax'] });
  });

  it('checks the syntax without a database, and all of it with a seed.sql; creates nothing', async () => {
    const root = await project();
    rmSync(join(root, 'data'), { recursive: true });
    writeFileSync(join(root, 'tools/lost.yml'), TOOL('lost', 'SELECT n FROM t'));
    const without = await svc(['validate', '--json'], root);
    expect(without.code).toBe(0);
    expect(JSON.parse(without.stdout).findings).toEqual([
      expect.objectContaining({ severity: 'info', code: 'sql-not-checked', file: 'svc-site.yml' }),
    ]);
    writeFileSync(join(root, 'tools/torn.yml'), TOOL('torn', 'SELECT * FROM (SELECT as user_id)'));
    const torn = await svc(['validate', '--json'], root);
    expect(torn.code).toBe(1);
    expect(JSON.parse(torn.stdout).findings).toEqual([
      expect.objectContaining({ code: 'sql-not-checked' }),
      expect.objectContaining({
        severity: 'error',
        code: 'sql-failed',
        file: 'tools/torn.yml',
        message: expect.stringContaining('Parser Error'),
      }),
    ]);
    rmSync(join(root, 'tools/torn.yml'));
    writeFileSync(join(root, 'seed.sql'), 'CREATE TABLE t (n INTEGER)');
    expect(await svc(['validate', '--json'], root)).toMatchObject({
      code: 0,
      stdout: '{"status":"ok","findings":[]}\n',
    });
    expect(existsSync(join(root, 'data'))).toBe(false);
  });

  it('creates no attached file', async () => {
    const root = await project();
    writeFileSync(
      join(root, 'svc-site.yml'),
      'svc: 1\nproject: demo\nprofile: default\nprofiles: { default: { database: { path: ":memory:", use: other, attach: [{ name: other, uri: new.duckdb, readonly: false }] } } }\n',
    );
    const { code, stdout } = await svc(['validate', '--json'], root);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).findings).toEqual([
      expect.objectContaining({ severity: 'info', code: 'sql-not-checked' }),
    ]);
    expect(existsSync(join(root, 'new.duckdb'))).toBe(false);
  });

  it('checks the site file, with its place', async () => {
    const root = await project();
    writeFileSync(join(root, 'svc-site.yml'), 'svc: 1\nproject: demo\nprofil: default\n');
    for (const command of [['validate'], ['list'], ['serve'], ['run', 'tool', 'hello_world']]) {
      const { code, stdout, stderr } = await svc(command, root);
      if (command[0] !== 'list') expect({ command, code }).toEqual({ command, code: 1 });
      if (command[0] !== 'list') expect(stdout + stderr).toMatch(/svc-site\.yml:3:1 +error/);
    }
  });
});
