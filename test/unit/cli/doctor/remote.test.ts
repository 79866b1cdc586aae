import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { type HttpServer, startHttpServer } from '../../../../adapters/node/http/server.ts';
import { createInput } from '../../../../cli/command.ts';
import { run } from '../../../../cli/commands/doctor.ts';
import { toAddress } from '../../../../cli/doctor/address.ts';
import { checkOutside, checkTransport } from '../../../../cli/doctor/remote.ts';
import type { App } from '../../../../src/app.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { createTestApp } from '../../mcp/fixture.ts';

let server: HttpServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

/** What is found at a server, some of whose answers are replaced; null leaves it to the server. */
async function look(replace: (request: Request) => Response | null = () => null) {
  const app = createTestApp();
  const broken: App = {
    ...app,
    fetch: async (request, extra) => replace(request) ?? app.fetch(request, extra),
  };
  server = await startHttpServer({ app: broken, host: '127.0.0.1', port: 0 });
  const checks = await checkOutside(toAddress(server.url));
  const problems = checks.filter(({ status }) => status === 'problem');
  for (const { fix } of problems) expect(fix).toEqual(expect.any(String));
  return { names: checks.map(({ name }) => name), problems: problems.map(({ name }) => name) };
}

const at = (method: string, path: string, response: () => Response) => (request: Request) =>
  request.method === method && new URL(request.url).pathname === path ? response() : null;

describe('a server from outside', () => {
  it('cannot steer the terminal', async () => {
    const app = createTestApp();
    const version = '\u001b]0;title\u0007\u009b2J\r\n1.0';
    const hostile: App = {
      ...app,
      fetch: async (request, extra) =>
        at('GET', '/health', () => Response.json({ version, hash: 'a' }))(request) ??
        app.fetch(request, extra),
    };
    server = await startHttpServer({ app: hostile, host: '127.0.0.1', port: 0 });
    let shown = '';
    await run(createInput([server.url], {}), {
      ...{ json: false, debug: false, note: () => {}, progress: (_, work) => work(() => {}) },
      data: (_, text) => {
        shown = text();
      },
    });
    expect(shown).toContain('svc  ]0;title 2J 1.0, content a');
  });

  it('is sound', async () => {
    expect(await look()).toEqual({
      names: ['tls', 'health', 'ready', 'clock', 'era-2025', 'era-2026', 'cors', 'sign-in'],
      problems: [],
    });
  });

  it.each([
    [
      'whose database does not answer',
      at('GET', '/ready', () => Response.json({}, { status: 503 })),
      ['ready'],
    ],
    [
      'behind a proxy that eats preflights',
      at('OPTIONS', '/mcp', () => new Response(null, { status: 405 })),
      ['cors'],
    ],
    [
      'that takes no header of the newer era',
      (request: Request) => (request.headers.has('mcp-method') ? new Response('no', { status: 400 }) : null),
      ['era-2026'],
    ],
    ['that is another program', at('GET', '/health', () => new Response('hello')), ['health']],
    [
      'whose clock is an hour behind',
      at('GET', '/health', () =>
        Response.json(
          { status: 'ok', version: '1', hash: 'abc' },
          { headers: { date: new Date(Date.now() - 3_600_000).toUTCString() } },
        ),
      ),
      ['clock'],
    ],
  ])('%s', async (_what, replace, expected) => {
    expect((await look(replace)).problems).toEqual(expected);
  });

  it('that asks for a token is looked at for its metadata, not for its protocol', async () => {
    const refused = at('POST', '/mcp', () => new Response(null, { status: 401 }));
    const { names, problems } = await look(refused);
    expect(names).toContain('protocol');
    expect(names).not.toContain('era-2025');
    expect(problems).toContain('challenge');
  });

  it('that sends too much is not read to its end', async () => {
    const large = () => new Response(`{"status":"healthy","version":"1","hash":"a"}${' '.repeat(2 ** 21)}`);
    expect((await look(at('GET', '/health', large))).problems).toContain('health');
  });

  it('that is not there is one problem', async () => {
    await look();
    const url = server?.url ?? '';
    await server?.close();
    server = null;
    const checks = await checkOutside(toAddress(url));
    expect(checks.filter(({ status }) => status === 'problem').map(({ name }) => name)).toEqual(['health']);
  });
});

describe('what lies between', () => {
  const to = (url: string) => checkTransport(toAddress(url));

  it('is this machine, or plain http that others can read', async () => {
    expect((await to('http://localhost:8000')).status).toBe('ok');
    expect(await to('http://mcp.example.com')).toMatchObject({
      status: 'problem',
      fix: expect.stringMatching(/certificate/),
    });
  });

  it('is no TLS where https is asked for and http answers', async () => {
    await look();
    const { port } = new URL(server?.url ?? '');
    expect(await to(`https://127.0.0.1:${port}`)).toMatchObject({
      status: 'problem',
      message: expect.stringMatching(/no TLS/),
    });
  });

  const hasOpenssl = (() => {
    try {
      return execFileSync('openssl', ['version']).length > 0;
    } catch {
      return false;
    }
  })();

  it.runIf(hasOpenssl)('has a certificate that clients refuse', async () => {
    const folder = temporaryFolder();
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const self = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', '-days', '90'];
    execFileSync('openssl', [...self, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    const secure = createServer({ key: readFileSync(key), cert: readFileSync(cert) });
    onTestFinished(() => void secure.close());
    await once(secure.listen(0, '127.0.0.1'), 'listening');
    const { port } = secure.address() as AddressInfo;
    expect(await to(`https://localhost:${port}`)).toMatchObject({
      status: 'problem',
      message: expect.stringMatching(/reject the certificate: .*SELF_SIGNED/),
    });
  });
});
