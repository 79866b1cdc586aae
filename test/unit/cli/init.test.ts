import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, project, svc } from './svc.ts';

describe('svc init', () => {
  // Requirements: command.init, site.three-fields
  it('makes a project that validates and answers, without a terminal', async () => {
    const parent = folder();
    const made = await svc(['init', 'demo', '--bootstrap'], parent);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toMatch(/cd demo\n {2}svc validate\n {2}svc run tool hello_world --param name=Ada\n/);
    const root = join(parent, 'demo');
    for (const file of ['svc-site.yml', '.gitignore', 'tools/hello_world.yml', 'data/db-default.db']) {
      expect(existsSync(join(root, file)), file).toBe(true);
    }
    expect((await svc(['validate'], root)).code).toBe(0);
    const ran = await svc(['run', 'tool', 'hello_world', '--param', 'name=Ada', '--json'], root);
    expect(ran).toMatchObject({ code: 0, stdout: '{"greeting":"Hello, Ada!"}\n' });
  });

  it('lists what it made with --json', async () => {
    const root = folder();
    const { code, stdout } = await svc(
      ['init', '--bootstrap', '--project', 'Bö.se', '--profile', 'prod', '--json'],
      root,
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      status: 'ok',
      root,
      project: 'Bö.se',
      profile: 'prod',
      files: ['svc-site.yml', 'tools/hello_world.yml', 'sql/hello_world.sql', 'data/db-prod.db'],
      database: 'data/db-prod.db',
    });
    expect((await svc(['validate'], root)).code).toBe(0);
  });

  it('makes a project without endpoints when not asked for the example', async () => {
    const root = folder();
    expect((await svc(['init', '--yes'], root)).code).toBe(0);
    expect(existsSync(join(root, 'tools/hello_world.yml'))).toBe(false);
    expect((await svc(['list'], root)).stdout).toMatch(/no endpoints/);
  });

  it('creates the database from a seed.sql that is there', async () => {
    const root = folder();
    writeFileSync(join(root, 'seed.sql'), 'CREATE TABLE sales AS SELECT 42 AS amount');
    const made = await svc(['init', '--yes'], root);
    expect(made).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^created .*db-default\.db from seed\.sql$/m),
    });
    const { stdout } = await svc(['query', 'SELECT amount FROM sales', '--json'], root);
    expect(stdout).toContain('42');
  });

  it('creates no database if the seed.sql fails', async () => {
    const root = folder();
    writeFileSync(join(root, 'seed.sql'), 'CREATE TABLE sales AS SELECT * FROM no_such_table');
    const made = await svc(['init', '--yes', '--json'], root);
    expect(made.stderr).toMatch(/note: .*could not be created from seed\.sql.*no_such_table/s);
    expect(JSON.parse(made.stdout)).toMatchObject({ status: 'ok', database: null });
    expect(readdirSync(join(root, 'data'))).toEqual([]);
  });

  it('refuses a folder that is a project, or inside one, and changes nothing', async () => {
    const root = await project();
    const before = readFileSync(join(root, 'svc-site.yml'), 'utf8');
    mkdirSync(join(root, 'inner'));
    const again = await svc(['init', '--bootstrap', '--yes', '--project', 'other'], root);
    const inner = await svc(['init', 'inner', '--yes', '--json'], root);
    expect(again.code).toBe(1);
    expect(again.stderr).toMatch(/ contains a project already/);
    expect(readFileSync(join(root, 'svc-site.yml'), 'utf8')).toBe(before);
    expect(inner.code).toBe(1);
    expect(JSON.parse(inner.stdout).error.code).toBe('project_invalid');
    expect(existsSync(join(root, 'inner/svc-site.yml'))).toBe(false);
  });

  it('overwrites no file, and keeps what .gitignore says', async () => {
    const root = folder();
    writeFileSync(join(root, '.gitignore'), '*.log\ndata/');
    mkdirSync(join(root, 'tools'));
    writeFileSync(join(root, 'tools/hello_world.yml'), 'mine');
    const refused = await svc(['init', '--bootstrap', '--yes'], root);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/tools\/hello_world\.yml exists already\. Nothing was written/);
    expect(readdirSync(root, { recursive: true }).toSorted()).toEqual([
      '.gitignore',
      'tools',
      'tools/hello_world.yml',
    ]);
    expect((await svc(['init', '--yes'], root)).code).toBe(0);
    expect(readFileSync(join(root, '.gitignore'), 'utf8')).toBe(
      '*.log\ndata/\naudit/\nbuild/\nnode_modules/\n.venv/\n__pycache__/\n.env\n.dev.vars\n',
    );
    expect(readFileSync(join(root, 'tools/hello_world.yml'), 'utf8')).toBe('mine');
  });

  it.each([
    ['Bücher & Ähnliches', 'Bücher-Ähnliches'],
    ['日本', '日本'],
    ['.hidden', 'hidden'],
    ['---', 'project'],
  ])('takes its name from the folder: %s', async (name, expected) => {
    const root = join(folder(), name);
    const { code, stdout } = await svc(['init', '--json', '--', root], tmpdir());
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ root, project: expected });
    expect((await svc(['-C', root, 'list'], tmpdir())).code).toBe(0);
  });

  it('refuses names that no configuration could use', async () => {
    const root = folder();
    expect((await svc(['init', '--profile', '../x', '--yes'], root)).code).toBe(2);
    expect((await svc(['init', '--project', 'a b', '--yes'], root)).code).toBe(2);
    expect(existsSync(join(root, 'svc-site.yml'))).toBe(false);
  });
});
