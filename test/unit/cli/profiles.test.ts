import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callLegacy } from '../../legacy-request.ts';
import { folder, project, Svc, svc } from './svc.ts';

const SITE = `svc: 1
project: demo
profile: default
secrets: [web]
profiles:
  default: {}
  prod: { database: { readonly: true }, audit: { enabled: true } }
`;

const secret = (token: string) =>
  `{ secrets: [{ name: web, type: http, parameters: { bearer_token: "${token}", scope: "https://x.example" } }] }`;

/** Secrets by profile; those of \`prod\` cannot be resolved unless somebody says so. */
const USER = `svc: 1
projects:
  demo:
    profiles:
      default: ${secret('default-token')}
      prod: ${secret('${PROD_TOKEN}')}
`;

const WRITER = 'svc: 1\ntool:\n  name: write\n  source: { code: CREATE TABLE made (n INTEGER) }\n';
const LOOK = `svc: 1
tool:
  name: look
  source: { code: "SELECT name FROM which_secret('https://x.example', 'http')" }
`;

async function demo() {
  const root = await project();
  const HOME = folder();
  mkdirSync(join(HOME, '.svc'));
  writeFileSync(join(HOME, '.svc/config.yml'), USER);
  writeFileSync(join(root, 'svc-site.yml'), SITE);
  writeFileSync(join(root, 'tools/write.yml'), WRITER);
  writeFileSync(join(root, 'tools/look.yml'), LOOK);
  return { root, env: { HOME } };
}

async function serve(root: string, env: Readonly<Record<string, string>>, args: readonly string[] = []) {
  const running = new Svc(['serve', '--port', '0', '--json', ...args], { cwd: root, env });
  const told = JSON.parse((await running.until(/^\{.*\}$/m))[0]);
  const call = async (name: string) => (await callLegacy(told.url, name)).text();
  return { running, told, call };
}

describe('a profile that is chosen', { timeout: 60_000 }, () => {
  // Requirements: env.SVC_PROFILE, site.database.readonly
  it('is read-only where it says so, when served and for every command (D14)', async () => {
    const { root, env } = await demo();
    const prod = { ...env, PROD_TOKEN: 'x', SVC_PROFILE: 'prod' };
    writeFileSync(join(root, 'seed.sql'), 'CREATE TABLE t AS SELECT 1 AS a');
    const { running, told, call } = await serve(root, prod);
    expect(told.readonly).toBe(true);
    expect(await call('write')).toContain('The database is read-only');
    running.child.kill('SIGTERM');
    await running.ended;
    for (const command of [
      ['run', 'tool', 'write'],
      ['query', 'CREATE TABLE made (n INTEGER)'],
    ]) {
      const { code, stderr } = await svc(command, root, prod);
      expect(`${code} ${stderr}`).toMatch(/^1 .*read-only/s);
    }
    const writable = { ...prod, SVC_READONLY: 'false' };
    expect(await svc(['query', 'CREATE TABLE made (n INTEGER)'], root, writable)).toMatchObject({ code: 0 });
  });

  // Requirements: command.serve
  it('takes the profile of the command line when served', async () => {
    const { root, env } = await demo();
    writeFileSync(join(root, 'seed.sql'), 'CREATE TABLE t AS SELECT 1 AS a');
    const { told } = await serve(root, { ...env, PROD_TOKEN: 'x' }, ['--profile', 'prod']);
    expect(told.readonly).toBe(true);
  });

  it('does not need what others refer to, neither at the start nor at a reload (D16)', async () => {
    const { root, env } = await demo();
    for (const command of [
      ['run', 'tool', 'hello_world', '--param', 'name=Ada'],
      ['query', 'SELECT 1'],
      ['test'],
      ['validate'],
      ['lint'],
      ['list'],
    ]) {
      const { code, stderr } = await svc(command, root, env);
      expect(`${command[0]} ${code} ${stderr}`).toMatch(/ 0 /);
    }
    const { running } = await serve(root, { ...env, SVC_DEBUG: '1' });
    running.child.kill('SIGHUP');
    expect((await running.until(/reloaded|the reload failed/, 'stderr'))[0]).toMatch(/reloaded/);
  });

  it('takes variables for itself, and nobody makes a database for one that is unknown (D31)', async () => {
    const { root, env } = await demo();
    const given = { ...env, PROD_TOKEN: 'x', SVC_DATABASE_PATH: 'data/other.db', SVC_AUDIT_ENABLED: 'false' };
    const { stdout } = await svc(['config', '--profile', 'prod', '--json'], root, given);
    const values = Object.fromEntries(
      JSON.parse(stdout).values.map((row: { key: string; value: unknown }) => [row.key, row.value]),
    );
    expect(values).toMatchObject({
      profile: 'prod',
      'database.path': 'data/other.db',
      'database.readonly': true,
      'audit.enabled': false,
    });
    const unknown = await svc(['query', 'SELECT 1', '--profile', 'staging'], root, env);
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toMatch(/no profile "staging"; known: default, prod/);
    expect(existsSync(join(root, 'data/db-staging.db'))).toBe(false);
  });

  // Requirements: secret.database, site.secrets
  it('gives its own secrets, not those of the profile that the site file names (D32)', async () => {
    const { root, env } = await demo();
    const own = await serve(root, env);
    expect(await own.call('look')).toContain('web');
    own.running.child.kill('SIGTERM');
    await own.running.ended;
    const { code, stderr } = await svc(['query', 'SELECT 1', '--profile', 'prod'], root, env);
    expect(`${code} ${stderr}`).toMatch(/^1 .*profiles\.prod\.secrets.*PROD_TOKEN/s);
  });
});
