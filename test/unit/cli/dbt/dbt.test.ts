import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { usesDatabase } from '../../../../cli/commands/dbt.ts';
import { folder, project, Svc, svc } from '../svc.ts';

/** Stands in for dbt: says what it was given, then does what a script says. */
function install(root: string, script = ''): void {
  const file = join(root, '.venv/bin/dbt');
  mkdirSync(dirname(file), { recursive: true });
  const report =
    'const { env, argv } = process; console.log(JSON.stringify({ args: argv.slice(2), cwd: process.cwd(), env }));';
  writeFileSync(file, `#!${process.execPath}\n${report}\n${script}\n`);
  chmodSync(file, 0o755);
}

const USER = `svc: 1
projects:
  demo:
    profiles:
      default:
        secrets:
          - name: crm
            type: custom
            parameters: { api_key: '\${CRM}', retries: 3, headers: { X-Key: two } }
`;

const AWAY = `svc: 1
project: demo
profile: default
profiles:
  default: {}
  far: { database: { path: 's3://bucket/far.duckdb' } }
  lake:
    database: { path: ':memory:', attach: [{ name: lake, uri: 'ducklake:lake.ducklake' }], use: lake }
extensions: [httpfs, ducklake]
`;

describe('svc dbt', { timeout: 60_000 }, () => {
  // Requirements: command.dbt
  it('hands every word on, and keeps what stands before the first for itself', async () => {
    const root = realpathSync(await project());
    install(root);
    const words = ['--no-use-colors', 'run', '--profile', 'x', '--json', '--unknown=1', '--', '-C', '--help'];
    const passed = await svc(['dbt', ...words], root);
    expect(passed).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(passed.stdout).args).toEqual(words);
    const [version, own, help] = [
      await svc(['dbt', '--', '--version'], root),
      await svc(['dbt', '--profile', 'nowhere', 'ls'], root),
      await svc(['dbt', '--help'], root),
    ];
    expect(JSON.parse(version.stdout).args).toEqual(['--version']);
    expect(own).toMatchObject({ code: 1, stderr: expect.stringContaining('no profile "nowhere"') });
    expect(help.stdout).toContain('svc dbt build');
  });

  // Requirements: feature.dbt
  it("gives secrets to dbt's process alone, in its folder, with the database", async () => {
    const root = realpathSync(await project());
    install(root);
    mkdirSync(join(root, 'transform/models'), { recursive: true });
    writeFileSync(join(root, 'transform/dbt_project.yml'), 'name: t\nprofile: demo_default\n');
    writeFileSync(join(root, 'transform/profiles.yml'), 'demo_default:\n  outputs: {}\n');
    writeFileSync(join(root, 'user.yml'), USER);
    const env = { SVC_CONFIG: join(root, 'user.yml'), CRM: 'planted', DBT_PROFILES_DIR: '' };
    const { stdout, stderr } = await svc(['dbt', 'ls'], join(root, 'transform/models'), env);
    expect({ ...JSON.parse(stdout), stderr }).toMatchObject({
      stderr: '',
      cwd: join(root, 'transform'),
      env: {
        SVC_DATABASE_PATH: join(root, 'data/db-default.db'),
        DBT_PROFILE: 'demo_default',
        DBT_SEND_ANONYMOUS_USAGE_STATS: 'false',
        SVC_SECRET_CRM_API_KEY: 'planted',
        DBT_ENV_SECRET_CRM_API_KEY: 'planted',
        SVC_SECRET_CRM_RETRIES: '3',
        SVC_SECRET_CRM_HEADERS_X_KEY: 'two',
      },
    });
    const elsewhere = await svc(['dbt', 'ls'], root, env);
    expect(JSON.parse(elsewhere.stdout)).toMatchObject({ cwd: root });
    expect(JSON.parse(elsewhere.stdout).env).not.toHaveProperty('DBT_PROFILE');
  });

  // Requirements: command.dbt
  it('ends as dbt ends, with its exit code', async () => {
    const root = await project();
    for (const code of [0, 1, 2, 77]) {
      install(root, `process.exitCode = ${code};`);
      expect((await svc(['dbt', 'parse'], root)).code).toBe(code);
    }
    install(root, "process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000);");
    expect((await svc(['dbt', 'parse'], root)).code).toBe(137);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('passes %s on and waits until dbt is done', async (signal) => {
    const root = await project();
    install(
      root,
      `process.on('${signal}', () => { console.log('cleaned up'); process.exit(5); });\nsetInterval(() => {}, 1000); console.log('ready');`,
    );
    const running = new Svc(['dbt', 'parse'], { cwd: root });
    await running.until(/ready/);
    running.child.kill(signal);
    expect(await running.ended).toMatchObject({ code: 5, stdout: expect.stringContaining('cleaned up') });
  });

  it('shows no secret that it cannot hand on, and names a profiles.yml that it cannot read', async () => {
    const root = await project();
    install(root);
    const config = join(root, 'user.yml');
    writeFileSync(config, USER.replace("'${CRM}'", `'file://${join(root, 'key.bin')}'`));
    writeFileSync(join(root, 'key.bin'), 'planted\0secret');
    const env = { SVC_CONFIG: config };
    for (const [options, stream] of [
      [[], 'stderr'],
      [['--debug'], 'stderr'],
      [['--json'], 'stdout'],
    ] as const) {
      const refused = await svc(['dbt', ...options, 'run'], root, env);
      expect(refused.code).toBe(1);
      expect(refused.stdout + refused.stderr).not.toContain('planted');
      expect(refused[stream]).toContain('The secret crm has a null byte in api_key');
    }
    writeFileSync(join(root, 'key.bin'), 'planted');
    writeFileSync(join(root, 'profiles.yml'), 'demo_default: *nowhere\n');
    const unread = await svc(['dbt', 'run'], root, env);
    expect(unread.code).toBe(1);
    expect(unread.stderr).toMatch(/profiles\.yml is not valid YAML: Unresolved alias.*Correct the file/);
  });

  it('builds into a file only: neither into memory nor into a folder named as an address', async () => {
    const root = await project();
    install(root);
    writeFileSync(join(root, 'svc-site.yml'), AWAY);
    for (const [profile, refused] of [
      ['far', /at an address.*svc dbt --profile <name> build.*Upload the file/s],
      ['lake', /in memory.*svc dbt --profile <name> build.*SVC_DATABASE_PATH=:memory:/s],
    ] as const) {
      const env = { SVC_PROFILE: profile };
      for (const command of [['dbt', 'build'], ['dbt-config']]) {
        const { code, stdout, stderr } = await svc(command, root, env);
        expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
        expect(stderr).toMatch(refused);
      }
    }
    const local = { SVC_PROFILE: 'far', SVC_DATABASE_PATH: join(root, 'data/next.duckdb') };
    expect((await svc(['dbt', 'build'], root, local)).code).toBe(0);
    expect((await svc(['dbt', 'ls'], root, { SVC_PROFILE: 'far' })).code).toBe(0);
    expect(existsSync(join(root, 'profiles.yml'))).toBe(false);
    const elsewhere = { SVC_PROFILE: 'lake', SVC_DATABASE_PATH: ':memory:' };
    for (const command of [['dbt-config'], ['dbt', 'build']]) {
      expect(await svc(command, root, elsewhere)).toMatchObject({ code: 0, stderr: '' });
    }
    expect(readFileSync(join(root, 'profiles.yml'), 'utf8')).toContain("'SVC_DATABASE_PATH', ':memory:'");
  });

  it('says how to install dbt where there is none', async () => {
    const root = await project();
    const { code, stderr } = await svc(['dbt', 'run'], root, { PATH: folder(), VIRTUAL_ENV: '' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/dbt is not installed.*pip install 'dbt-core.*dbt-duckdb.*'duckdb~=1\.5/s);
  });

  it('starts nothing that would change a database under a server, whichever engine reads it', async () => {
    const root = await project();
    install(root);
    for (const env of [{}, { SVC_READONLY: 'true', SVC_DATABASE_ENGINE: 'wasm' }]) {
      const server = new Svc(['serve', '--port', '0'], { cwd: root, env });
      await server.until(/serving/, 'stdout');
      const refused = await svc(['dbt', 'build', '--json'], root);
      expect(refused).toMatchObject({ code: 1, stderr: '' });
      const { error } = JSON.parse(refused.stdout);
      expect(error).toMatchObject({ code: 'busy', detail: { pid: expect.any(Number) } });
      expect(error.message).toMatch(/db-default\.db is open in another process.*serve.*svc admin reload/s);
      expect((await svc(['dbt', 'ls'], root)).code).toBe(0);
      server.child.kill('SIGTERM');
      await server.ended;
    }
    expect((await svc(['dbt', 'build'], root)).code).toBe(0);
  });
});

describe('which commands of dbt open the database', () => {
  it.each([
    ['build', true],
    ['--log-format json run --select ls', true],
    ['docs generate', true],
    ['--project-dir docs run', true],
    ['--target test -t build ls', false],
    ['--project-dir=docs docs --profiles-dir ls generate', true],
    ['--no-use-colors run', true],
    ['--fail-fast build', true],
    ['docs serve', false],
    ['ls --select build', false],
    ['run --help', false],
    ['--version', false],
    ['', false],
  ])('%s: %s', (line, opens) => {
    expect(usesDatabase(line.split(' '))).toBe(opens);
  });
});
