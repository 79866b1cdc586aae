import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { VARIABLES } from '../../../src/settings/variables.ts';
import { sendLegacy } from '../../legacy-request.ts';
import { startVault, VAULT_TOKEN } from '../adapters/references/vault-double.ts';
import { folder, project, Svc, svc } from './svc.ts';

interface Home {
  readonly HOME: string;
  readonly file: string;
}

/** A home folder of its own, with a user file. */
function home(text: string): Home {
  const HOME = folder();
  const file = join(HOME, '.svc/config.yml');
  mkdirSync(join(HOME, '.svc'));
  writeFileSync(file, text);
  return { HOME, file };
}

function site(root: string, text: string): void {
  writeFileSync(join(root, 'svc-site.yml'), `svc: 1\nproject: demo\nprofile: default\n${text}`);
}

const rowsOf = (stdout: string): Record<string, { value: unknown; origin: string; source: string | null }> =>
  Object.fromEntries(JSON.parse(stdout).values.map((row: { key: string }) => [row.key, row]));

describe('svc config', () => {
  // Requirements: env.SVC_CONFIG, user-file.transport.http.host
  it('shows every value and where it comes from, for people and as one document', async () => {
    const root = await project();
    const { HOME, file } = home('svc: 1\ntransport:\n  http:\n    port: 9000\n    host: "${WHERE}"\n');
    const env = { HOME, WHERE: 'localhost', SVC_READONLY: 'true' };
    const { code, stdout } = await svc(['config', '--json', '--stateless'], join(root, 'sql'), env);
    expect(code).toBe(0);
    const rows = rowsOf(stdout);
    expect(rows['transport.http.port']).toMatchObject({
      value: 9000,
      origin: 'user-file',
      source: `${file}:4`,
    });
    expect(rows['transport.http.host']).toMatchObject({ value: '[REDACTED] ${WHERE}', origin: 'user-file' });
    expect(rows['transport.http.stateless']).toMatchObject({
      value: true,
      origin: 'flag',
      source: '--stateless',
    });
    expect(rows['database.readonly']).toMatchObject({
      value: true,
      origin: 'environment',
      source: 'SVC_READONLY',
    });
    expect(rows.project).toMatchObject({ value: 'demo', origin: 'site-file' });
    expect(rows['audit.max_file_size']).toMatchObject({ origin: 'default', source: null });
    const text = await svc(['config'], root, env);
    expect(text.stdout).toMatch(/^transport\.http\.port +9000 +\S+config\.yml:4$/m);
  });

  // Requirements: env.SVC_CONFIG
  it('does without a user file, but not without the one that SVC_CONFIG names', async () => {
    const root = await project();
    const HOME = folder();
    expect((await svc(['config'], root, { HOME })).code).toBe(0);
    const named = await svc(['config'], root, { HOME, SVC_CONFIG: 'lost.yml' });
    expect(named).toMatchObject({ code: 1, stdout: '' });
    expect(named.stderr).toMatch(/There is no user file at .*lost\.yml, which SVC_CONFIG names/);
  });

  // Requirements: service.names
  it('is of the program svc, in svc-site.yml and ~/.svc/config.yml, with its version under `svc`', async () => {
    const { bin } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(Object.keys(bin)).toEqual(['svc']);
    const root = await project();
    const { HOME } = home('svc: 1\ntransport: { http: { port: 9000 } }\n');
    const run = () => svc(['config', '--json'], root, { HOME });
    expect(rowsOf((await run()).stdout)['transport.http.port']?.value).toBe(9000);
    const file = join(root, 'svc-site.yml');
    const text = readFileSync(file, 'utf8');
    expect(text).toMatch(/^svc: 1$/m);
    writeFileSync(file, text.replace('svc: 1', 'version: 1'));
    expect(await run()).toMatchObject({ code: 1, stdout: expect.stringMatching(/svc-site\.yml.*`svc`/s) });
    writeFileSync(join(root, 'site.yml'), text);
    rmSync(file);
    expect(await run()).toMatchObject({ code: 1, stdout: expect.stringContaining('svc-site.yml') });
  });

  // Requirements: service.names
  it('takes variables that begin with SVC_, and those that OpenTelemetry has named', () => {
    const foreign = VARIABLES.map(({ name }) => name).filter((name) => !name.startsWith('SVC_'));
    expect(foreign).toEqual([
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'OTEL_SERVICE_NAME',
      'OTEL_EXPORTER_OTLP_HEADERS',
      'OTEL_RESOURCE_ATTRIBUTES',
    ]);
  });

  it('takes the user file as text', async () => {
    const root = await project();
    const env = { HOME: folder(), SVC_CONFIG_YAML: 'svc: 1\ntransport: { http: { port: 1234 } }\n' };
    const { stdout } = await svc(['config', '--json'], root, env);
    expect(rowsOf(stdout)['transport.http.port']).toMatchObject({ value: 1234, source: 'SVC_CONFIG_YAML:2' });
  });
});

describe('the configuration of commands', () => {
  it('of an unknown profile is an error that lists the known ones, and makes no database (D31)', async () => {
    const root = await project();
    site(root, 'profiles: { default: {}, prod: {} }\n');
    for (const command of [
      ['run', 'tool', 'hello_world', '--param', 'name=Ada'],
      ['config'],
      ['serve', '--port', '0'],
    ]) {
      const { code, stderr } = await svc([...command, '--profile', 'prd'], root, { HOME: folder() });
      expect(code).toBe(1);
      expect(stderr).toMatch(/no profile "?prd"?; .*default, prod\.[\s\S]*Did you mean prod\?/);
    }
    expect(readdirSync(join(root, 'data')).some((name) => name.includes('prd'))).toBe(false);
  });

  it('of an unknown project is an error that lists the known ones', async () => {
    const root = await project();
    const { HOME } = home('svc: 1\nprojects: { demmo: {}, other: {} }\n');
    const { code, stderr } = await svc(['run', 'tool', 'hello_world', '--param', 'name=Ada'], root, { HOME });
    expect(code).toBe(1);
    expect(stderr).toMatch(/config\.yml:2:1 .*no project demo under `projects`; there are demmo, other/);
    expect(stderr).toMatch(/Did you mean demmo\?/);
  });

  it('does not care for references of other profiles (D16), from any folder (D15)', async () => {
    const root = await project();
    const { HOME } = home(`svc: 1
projects:
  demo:
    profiles:
      default: {}
      prod: { secrets: [{ name: db, type: custom, parameters: { a: "\${UNSET}", b: "vault://x/y#z" } }] }
`);
    const { code, stderr } = await svc(
      ['run', 'tool', 'hello_world', '--param', 'name=Ada'],
      join(root, 'sql'),
      { HOME },
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('opens the database read-only where the profile says so (D14)', async () => {
    const root = await project();
    site(root, 'profiles: { default: { database: { readonly: true } } }\n');
    writeFileSync(
      join(root, 'tools/write.yml'),
      'svc: 1\ntool:\n  name: write\n  source: { code: CREATE TABLE made (n INTEGER) }\n',
    );
    const { code, stderr } = await svc(['run', 'tool', 'write'], root, { HOME: folder() });
    expect(code).toBe(1);
    expect(stderr).toMatch(/read-only/);
  });

  // Requirements: user-file.transport.provider
  it('serves sse and stdio if the user file says so', async () => {
    const root = await project();
    const { HOME } = home('svc: 1\ntransport: { provider: "${BY}", http: { port: 0 } }\n');
    const sse = new Svc(['serve', '--json'], { cwd: root, env: { HOME, BY: 'sse' } });
    const { transport, url } = JSON.parse((await sse.until(/^\{.*\}$/m))[0]);
    expect(transport).toBe('sse');
    const stream = await fetch(url, { headers: { accept: 'text/event-stream' } });
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    await stream.body?.cancel();
    sse.child.kill('SIGTERM');
    await sse.ended;
    const stdio = new Svc(['serve'], { cwd: root, env: { HOME, BY: 'stdio' } });
    stdio.child.stdin?.end('{"jsonrpc":"2.0","id":7,"method":"ping"}\n');
    expect(await stdio.ended).toMatchObject({ code: 0, stdout: '{"result":{},"jsonrpc":"2.0","id":7}\n' });
  });

  // Only Linux has all of 127.0.0.0/8.
  // Requirements: user-file.transport.http.host
  it.runIf(process.platform === 'linux')('binds to the host of the user file, and to no other', async () => {
    const { HOME } = home('svc: 1\ntransport: { http: { port: 0, host: 127.0.0.2 } }\n');
    const running = new Svc(['serve', '--json'], { cwd: await project(), env: { HOME } });
    const { url } = JSON.parse((await running.until(/^\{.*\}$/m))[0]);
    expect(new URL(url).hostname).toBe('127.0.0.2');
    expect((await fetch(new URL('/health', url))).status).toBe(200);
    const other = url.replace('127.0.0.2', '127.0.0.1');
    await expect(fetch(new URL('/health', other))).rejects.toThrow();
  });

  // Requirements: user-file.transport.http.stateless
  it('keeps a session for a client unless the user file or the command line says stateless', async () => {
    const root = await project();
    writeFileSync(join(root, 'seed.sql'), 'CREATE TABLE t AS SELECT 1 AS a');
    const keeps = async (http: string, ...args: string[]) => {
      const { HOME } = home(`svc: 1\ntransport: { http: { port: 0${http} } }\n`);
      const running = new Svc(['serve', '--json', ...args], {
        cwd: root,
        env: { HOME, SVC_READONLY: 'true' },
      });
      const { url } = JSON.parse((await running.until(/^\{.*\}$/m))[0]);
      const params = {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 't', version: '1' },
      };
      const answer = await sendLegacy(url, 'initialize', params);
      expect(await answer.text()).toContain('"2025-11-25"');
      expect(answer.headers.getSetCookie()).toEqual([]);
      running.child.kill('SIGTERM');
      await running.ended;
      return answer.headers.has('mcp-session-id');
    };
    expect(await keeps('')).toBe(true);
    expect(await keeps(', stateless: true')).toBe(false);
    expect(await keeps('', '--stateless')).toBe(false);
  });

  // Requirements: user-file.transport.http.port
  it('serves where the user file says', async () => {
    const root = await project();
    const { HOME } = home(
      'svc: 1\ntransport: { http: { port: "${PORT}", base_url: https://mcp.example/x } }\n',
    );
    const running = new Svc(['serve', '--json'], { cwd: root, env: { HOME, PORT: '0' } });
    const [line] = await running.until(/^\{.*\}$/m);
    const { url } = JSON.parse(line);
    expect(new URL(url).port).not.toBe('8000');
    expect((await fetch(new URL('/health', url))).status).toBe(200);
  });

  // Requirements: command.validate
  it('finds secrets that the site needs and nobody defines', async () => {
    const root = await project();
    site(root, 'secrets: [warehouse]\n');
    const { code, stdout } = await svc(['validate', '--json'], root, { HOME: folder() });
    expect(code).toBe(1);
    expect(JSON.parse(stdout).findings).toEqual([
      expect.objectContaining({ code: 'secret-undefined', file: 'svc-site.yml', line: 4 }),
    ]);
  });
});

describe('secrets', () => {
  const PLANTED = ['planted-literal', 'planted-env', 'planted-vault', 'planted-file', VAULT_TOKEN];

  const userFile = (vault: string, broken: string) => `svc: 1
vault: { enabled: true, address: "${vault}", token_env: MY_TOKEN }
models: { fast: { type: claude, api_key: "\${KEY}" } }
transport: { http: { port: 0, base_url: "https://u:planted-literal@x.example/?k=planted-literal" } }
projects:
  demo:
    profiles:
      default:
        secrets:
          - name: db
            type: ${broken}
            parameters: { bearer_token: planted-literal, x: "vault://secret/db#password", y: "file://key.txt", z: "<\${KEY}>" }
        auth: { provider: github, github: { client_id: c, client_secret: planted-literal } }
        telemetry: { headers: { authorization: "Bearer \${KEY}" } }
`;

  const COMMANDS = [
    ['config'],
    ['validate'],
    ['list'],
    ['lint'],
    ['run', 'tool', 'hello_world', '--param', 'name=Ada'],
    ['query', 'SELECT 1'],
    ['test'],
    ['serve', '--transport', 'stdio'],
    ['build', '--target', 'node', '--public'],
  ];

  async function outputsOf(
    broken: string,
    env: Record<string, string> = {},
    commands: readonly (readonly string[])[] = COMMANDS,
  ) {
    const root = await project();
    writeFileSync(join(root, 'key.txt'), 'planted-file\n');
    const vault = await startVault({ v2: { 'secret/db': { password: 'planted-vault' } } });
    const { HOME } = home(userFile(vault.url, broken));
    const all = { HOME, KEY: 'planted-env', MY_TOKEN: VAULT_TOKEN, ...env };
    const runs = commands.flatMap((command) => [command, [...command, '--json', '--debug']]);
    const outputs = [];
    // one after the other: two of them would wait for each other's database
    for (const command of runs) {
      const { code, stdout, stderr } = await svc(command, root, all);
      outputs.push({ command: command.join(' '), code, text: stdout + stderr });
    }
    return { root, outputs };
  }

  const leaks = (outputs: readonly { readonly command: string; readonly text: string }[]) =>
    outputs.flatMap(({ command, text }) =>
      PLANTED.filter((secret) => text.includes(secret)).map((secret) => `${command}: ${secret}`),
    );

  it('are in no output of any command, when all goes well', { timeout: 120_000 }, async () => {
    const { root, outputs } = await outputsOf('custom');
    expect(outputs.filter(({ code }) => code !== 0).map(({ command, text }) => command + text)).toEqual([]);
    expect(leaks(outputs)).toEqual([]);
    const built = join(root, 'build/node');
    expect(existsSync(built)).toBe(true);
    for (const name of readdirSync(built)) {
      const bytes = readFileSync(join(built, name), 'latin1');
      expect(PLANTED.filter((secret) => bytes.includes(secret))).toEqual([]);
    }
  });

  it('are in no output of any command, when something is wrong', { timeout: 120_000 }, async () => {
    for (const [type, env] of [
      ['http', {}],
      ['custom', { MY_TOKEN: `${VAULT_TOKEN}-wrong` }],
      ['"${KEY}"', { KEY: '' }],
    ] as const) {
      const { outputs } = await outputsOf(type, env, [['config'], ['validate'], ['query', 'SELECT 1']]);
      expect(outputs.some(({ code }) => code === 1)).toBe(true);
      expect(leaks(outputs)).toEqual([]);
    }
  });
});
