import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folder, project, Svc, svc } from './svc.ts';

const ADD = `svc: 1
tool:
  name: add
  source: { code: "INSERT INTO t VALUES (2) RETURNING n" }
  tests: [{ name: adds, arguments: [], result: [{ n: 2 }] }]
`;

it('commands work beside a server that holds the database, and write nothing to it', {
  timeout: 240_000,
}, async () => {
  const cwd = await project();
  const site = join(cwd, 'svc-site.yml');
  writeFileSync(site, readFileSync(site, 'utf8').replace(/readonly: true/, 'readonly: false'));
  // The copies are made here, so that the test sees that they are deleted.
  const env = { SVC_READONLY: 'false', TMPDIR: folder() };
  expect(await svc(['query', 'CREATE TABLE t AS SELECT 1 AS n'], cwd, env)).toMatchObject({ code: 0 });
  writeFileSync(join(cwd, 'tools/add.yml'), ADD);
  const server = new Svc(['serve', '--port', '0'], { cwd, env });
  await server.until(/serving/);
  const beside = async (...args: readonly string[]) => svc(args, cwd, env);
  expect(await beside('query', 'SELECT n FROM t', '--json')).toMatchObject({
    code: 0,
    stdout: '[{"n":1}]\n',
    stderr: expect.stringMatching(/Another process holds .*a copy of its present state/),
  });
  expect(await beside('run', 'tool', 'hello_world', '--param', 'name=Ada', '--json')).toMatchObject({
    code: 0,
    stdout: '{"greeting":"Hello, Ada!"}\n',
  });
  expect(await beside('test')).toMatchObject({ code: 0, stderr: '' });
  const lost = join(cwd, 'tools/lost.yml');
  writeFileSync(lost, 'svc: 1\ntool: { name: lost, source: { code: "SELECT x FROM nowhere" } }\n');
  const validated = await beside('validate', '--json');
  expect(validated).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('a copy of its present state'),
  });
  expect(JSON.parse(validated.stdout).findings).toEqual([
    expect.objectContaining({ code: 'sql-failed', file: 'tools/lost.yml' }),
  ]);
  rmSync(lost);
  expect(await beside('drift-snapshot')).toMatchObject({ code: 0 });
  expect(await beside('query', 'SELECT count(*) AS n FROM t', '--json')).toMatchObject({
    stdout: '[{"n":1}]\n',
  });
  for (const args of [
    ['query', 'INSERT INTO t VALUES (3)'],
    ['run', 'tool', 'add'],
  ]) {
    const { code, stderr } = await beside(...args);
    expect(code).toBe(1);
    expect(stderr).toMatch(/is in use by another process[\s\S]*`svc call <tool>`/);
  }
  server.child.kill('SIGTERM');
  await server.ended;
  expect(await beside('test')).toMatchObject({ code: 0, stderr: '' });
  expect(await beside('query', 'SELECT count(*) AS n FROM t', '--json')).toMatchObject({
    stdout: '[{"n":1}]\n',
  });
  expect(readdirSync(env.TMPDIR).filter((name) => name.startsWith('svc-copy-'))).toEqual([]);
});
