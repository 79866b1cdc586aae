import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callTotal, NODES, PACKAGE, Program, workspace, writePrograms } from './installed.ts';

/* The programs of docs/how-to/embed.md, as written, with the packed package. */

const SLOW = 300_000;
const TSC = resolve('node_modules/typescript/bin/tsc');
const OPTIONS = ['--module', 'nodenext', '--target', 'es2024', '--strict', '--exactOptionalPropertyTypes'];
const NODE_TYPES = [
  '--lib',
  'es2024,dom,dom.iterable',
  '--types',
  'node',
  '--typeRoots',
  resolve('node_modules/@types'),
];

describe.skipIf(PACKAGE === undefined)('the programs of the guide', () => {
  it('have the types of the package', { timeout: SLOW }, async () => {
    const folder = await workspace();
    const names = writePrograms(folder);
    expect(names).toEqual(['hono.ts', 'http.ts', 'worker.ts', 'wrangler.toml', 'modules.d.ts']);
    const files = names.filter((name) => name.endsWith('.ts'));
    const compile = () =>
      execFileSync(
        process.execPath,
        [TSC, '--noEmit', '--skipLibCheck', ...OPTIONS, ...NODE_TYPES, ...files],
        {
          cwd: folder,
          encoding: 'utf8',
        },
      );
    expect(compile()).toBe('');
    writeFileSync(join(folder, 'http.ts'), "import { openApp } from 'svc-kit/node';\nawait openApp(7);\n");
    expect(compile).toThrow();
  });

  it.each(Object.entries(NODES))(
    'serve beside a page of a Hono app, on %s',
    { timeout: SLOW },
    async (_, node) => {
      const url = await start('hono.ts', node);
      expect(await (await fetch(url)).text()).toBe('a page of my own');
      const refused = await callTotal(`${url}/mcp`);
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      const answered = await callTotal(`${url}/mcp`, { 'x-session': 'secret' });
      expect(await answered.text()).toContain('"total":7');
    },
  );

  it('serve beside a page of node:http, with the sign-in of the user file', { timeout: SLOW }, async () => {
    const verifier =
      'svc: 1\nprojects: { shop: { profiles: { default: { auth: { mode: verifier, verifier: { issuer: "https://id.example.com", audience: ["https://mcp.example.com/mcp"] } } } } } }';
    const url = await start('http.ts', process.execPath, { SVC_CONFIG_YAML: verifier });
    expect(await (await fetch(url)).text()).toBe('a page of my own');
    const refused = await callTotal(`${url}/mcp`);
    expect(refused.status).toBe(401);
    const [, metadata = ''] =
      /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
    const { authorization_servers } = await (await fetch(metadata)).json();
    expect(authorization_servers).toEqual(['https://id.example.com']);
  });

  it('refuse a project that everybody could call', { timeout: SLOW }, async () => {
    const folder = await workspace();
    writePrograms(folder);
    const run = new Program(process.execPath, strip('http.ts'), folder);
    expect(await run.ended).not.toBe(0);
    expect(run.output).toMatch(/would be served without sign-in, so everybody could call it/);
  });

  it('serve inside a Worker beside its own routes', { timeout: SLOW }, async () => {
    const folder = await workspace();
    writePrograms(folder);
    const build = [
      resolve('cli/svc.js'),
      'build',
      '--target',
      'cloudflare-workers',
      '--public',
      '--out',
      '../svc',
    ];
    execFileSync(process.execPath, build, { cwd: join(folder, 'shop'), stdio: 'pipe' });
    const wrangler = dirname(createRequire(import.meta.url).resolve('wrangler/package.json'));
    const args = [join(wrangler, 'bin/wrangler.js'), 'dev', '--ip', '127.0.0.1', '--port', '0'];
    const quiet = { WRANGLER_SEND_METRICS: 'false', CLOUDFLARE_CF_FETCH_ENABLED: 'false', CI: '1' };
    const worker = new Program(
      process.execPath,
      [...args, '--show-interactive-dev-session=false'],
      folder,
      quiet,
    );
    const [, url = ''] = await worker.until(/Ready on (http:\/\/[\w.:]+)/);
    expect(await (await fetch(url)).text()).toBe('a page of my own');
    expect((await callTotal(`${url}/mcp`)).status).toBe(401);
    const answered = await callTotal(`${url}/mcp`, { 'x-session': 'secret' });
    expect(await answered.text()).toContain('"total":7');
    worker.child.kill('SIGTERM');
    await worker.ended;
  });
});

/** The arguments that run TypeScript on a Node that does not do so by itself. */
function strip(program: string): readonly string[] {
  return ['--experimental-strip-types', '--disable-warning=ExperimentalWarning', program];
}

async function start(
  program: string,
  node: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const folder = await workspace();
  writePrograms(folder);
  const run = new Program(node, strip(program), folder, { PORT: '0', ...env });
  const [, port = ''] = await run.until(/listening on (\d+)/);
  return `http://127.0.0.1:${port}`;
}
