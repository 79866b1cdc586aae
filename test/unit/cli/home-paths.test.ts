import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folder, Svc, svc } from './svc.ts';

const SITE = `svc: 1
project: shop
profile: default
profiles:
  default:
    database:
      path: ~/shop.db
      attach: [{ name: archive, uri: ~/archive.duckdb, readonly: false }]
    audit: { enabled: true, path: ~/audit.jsonl }
    drift: { path: ~/drift.json }
`;
const TOOL = `svc: 1
tool:
  name: one
  description: One.
  return: { type: integer, description: One }
  source: { code: SELECT 1 AS one }
  tests: [{ name: one, arguments: [], result: 1 }]
`;

it("takes `~/` of paths for the user's folder, and makes no folder of this name", {
  timeout: 60_000,
}, async () => {
  const [root, home] = [folder(), folder()];
  writeFileSync(join(root, 'svc-site.yml'), SITE);
  mkdirSync(join(root, 'tools'));
  writeFileSync(join(root, 'tools/one.yml'), TOOL);
  const env = { HOME: home, SVC_ADMIN_ENABLED: 'true', SVC_ADMIN_SOCKET: '~/svc.sock' };
  const server = new Svc(['serve', '--port', '0', '--json'], { cwd: root, env });
  await server.until(/^.*\n/);
  expect((await svc(['admin', 'status'], root, env)).code).toBe(0);
  const ended = new Promise((done) => server.child.once('close', done));
  server.child.kill();
  await ended;
  expect((await svc(['drift-snapshot'], root, env)).code).toBe(0);
  expect((await svc(['log'], root, env)).code).toBe(0);
  expect(readdirSync(root).toSorted()).toEqual(['svc-site.yml', 'tools']);
  for (const file of ['shop.db', 'archive.duckdb', 'audit.jsonl', 'drift.json']) {
    expect([file, existsSync(join(home, file))]).toEqual([file, true]);
  }
});

/** Node asks the system for the folder of a user without HOME, and throws if the system does not know the user. */
const HOMELESS = `import os from 'node:os';
import { syncBuiltinESMExports } from 'node:module';
os.homedir = () => {
  throw new Error('uv_os_homedir returned ENOENT');
};
syncBuiltinESMExports();`;

it('starts for a user without a home folder, and refuses only a path that begins with `~/`', {
  timeout: 60_000,
}, async () => {
  const root = folder();
  writeFileSync(join(root, 'svc-site.yml'), 'svc: 1\nproject: shop\nprofile: default\n');
  mkdirSync(join(root, 'tools'));
  writeFileSync(join(root, 'tools/one.yml'), TOOL);
  const homeless = `--import=data:text/javascript,${encodeURIComponent(HOMELESS)}`;
  const env = { HOME: '', NODE_OPTIONS: homeless };
  expect(await svc(['validate'], root, env)).toMatchObject({ code: 0, stderr: '' });
  expect(await svc(['run', 'tool', 'one'], root, env)).toMatchObject({ code: 0 });
  for (const wanting of [{ SVC_CONFIG: '~/user.yml' }, { SVC_DATABASE_PATH: '~/shop.db' }]) {
    const { code, stderr } = await svc(['run', 'tool', 'one'], root, { ...env, ...wanting });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/The path ~\/.* HOME is not set/)]);
  }
});
