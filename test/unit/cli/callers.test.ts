import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { project, Svc, svc } from './svc.ts';

// whole programs start here, on machines with little to spare
vi.setConfig({ testTimeout: 120_000 });

const KEYCLOAK =
  '{ provider: keycloak, keycloak: { client_id: x, server_url: https://id.example, realm: staff } }';
const userFile = (auth: string) => `svc: 1
transport: { http: { base_url: https://mcp.example } }
projects: { demo: { profiles: { default: { auth: ${auth} } } } }
`;

/** A project, and a home whose user file has the sign-in. */
async function withUserFile(auth: string) {
  const root = await project();
  await mkdir(join(root, '.svc'));
  await writeFile(join(root, '.svc/config.yml'), userFile(auth));
  return { root, env: { HOME: root } };
}

describe('svc build', () => {
  // Requirements: own.closed
  it('refuses to leave out the sign-in of the user file, and says how to build it in', async () => {
    const { root, env } = await withUserFile(KEYCLOAK);
    const refused = await svc(['build', '--target', 'node'], root, env);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('The user file has sign-in with Keycloak');
    expect(refused.stderr).toMatch(/`--config <file>`[\s\S]*`--public`/);
    const built = await svc(['build', '--target', 'node', '--config', '.svc/config.yml'], root, env);
    expect(built).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Callers: sign-in with Keycloak\n'),
    });
    const dockerfile = await readFile(join(root, 'build/node/Dockerfile'), 'utf8');
    expect(dockerfile).toMatch(/^# Callers: sign-in with Keycloak\n/);
  });

  it.each<[string, string, boolean]>([
    ['no address', '{}', true],
    ['an address over http', '{ base_url: "http://mcp.example" }', true],
    ['an https address', '{ base_url: "https://mcp.example" }', false],
    ['a proxy', '{ trust_proxy: true }', false],
    ['an address of the environment', '{ base_url: "${ADDRESS}" }', false],
  ])('with sign-in and %s warns if the container would not start', async (_with, http, warns) => {
    const root = await project();
    const text = userFile(KEYCLOAK).replace('{ base_url: https://mcp.example }', http);
    await writeFile(join(root, 'user.yml'), text);
    const built = await svc(['build', '--target', 'node', '--config', 'user.yml', '--json'], root);
    const { warnings = [] } = JSON.parse(built.stdout);
    const found = warnings.filter(({ code }: { code: string }) => code === 'address-unsafe');
    expect([built.code, found.length]).toEqual([0, warns ? 1 : 0]);
    if (warns) expect(found[0].message).toMatch(/keeps the artefact from starting in its container/);
  });

  it('builds without that sign-in if --public says so, but not because the same file has `public`', async () => {
    const { root, env } = await withUserFile(KEYCLOAK.replace('}', ', }').replace('{ ', '{ public: true, '));
    expect(await svc(['build', '--target', 'node'], root, env)).toMatchObject({ code: 1 });
    const built = await svc(['build', '--target', 'node', '--public'], root, env);
    expect(built).toMatchObject({ code: 0, stdout: expect.stringContaining('public on purpose') });
  });

  it.each<[string, string | null, Record<string, string>, readonly string[]]>([
    ['--public', null, {}, ['--public']],
    ['SVC_PUBLIC', null, { SVC_PUBLIC: 'true' }, []],
    ['auth.public', '{ public: true }', {}, []],
  ])('makes a public function if %s says so, and names its callers', async (_by, auth, more, args) => {
    const { root, env } = await withUserFile(auth ?? '{}');
    const refused = await svc(['build', '--target', 'aws-lambda'], root, { HOME: '/nowhere' });
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The artefact for AWS Lambda would serve without sign-in'),
    });
    const built = await svc(['build', '--target', 'aws-lambda', '--json', ...args], root, {
      ...env,
      ...more,
    });
    expect(built.code).toBe(0);
    const callers = 'AuthType: NONE, public on purpose';
    expect(JSON.parse(built.stdout)).toMatchObject({ callers });
    for (const name of ['serverless.yml', 'template.yaml', 'README.md']) {
      expect(await readFile(join(root, 'build/aws-lambda', name), 'utf8')).toContain(callers);
    }
  });
});

describe('svc serve beyond this machine', () => {
  const BEYOND = ['serve', '--port', '0', '--host', '0.0.0.0'];

  // Requirements: own.closed
  it('refuses without sign-in, and names every way out', async () => {
    const refused = await svc(BEYOND, await project(), { HOME: '/nowhere' });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('The server would listen on 0.0.0.0 without sign-in');
    expect(refused.stderr).toMatch(
      /`auth\.provider`[\s\S]*127\.0\.0\.1[\s\S]*`--public`[\s\S]*`auth\.public: true`/,
    );
  });

  // Requirements: own.public
  it('warns if it is public on purpose, and offers an address that works', async () => {
    const server = new Svc([...BEYOND, '--public'], { cwd: await project(), env: { HOME: '/nowhere' } });
    await server.until(/no sign-in, public on purpose/, 'stderr');
    const [, url = ''] = await server.until(/on (http:\/\/127\.0\.0\.1:\d+\/mcp)/);
    expect((await fetch(new URL('/health', url))).status).toBe(200);
    server.child.kill('SIGTERM');
    expect((await server.ended).stdout).not.toContain('http://0.0.0.0');
  });
});
