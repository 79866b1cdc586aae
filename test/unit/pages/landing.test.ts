import { describe, expect, it } from 'vitest';
import type { AppOptions } from '../../../src/app.ts';
import { OPEN_ACCESS } from '../../../src/http/access.ts';
import { catalogOf, createFakeRuntime, createTestApp, TOOLS } from '../mcp/fixture.ts';

const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

function open(options: Partial<AppOptions> = {}, { project = 'demo', url = 'http://localhost:8000/' } = {}) {
  const runtime = { ...createFakeRuntime(), catalog: { ...catalogOf(TOOLS), project } };
  const app = createTestApp(runtime, options);
  return (accept?: string) => {
    const headers = { host: new URL(url).host, ...(accept === undefined ? {} : { accept }) };
    return app.fetch(new Request(url, { headers }));
  };
}

describe('GET /', () => {
  it('shows people what this is and how to connect', async () => {
    const response = await open()(HTML);
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(text).toContain('<h1>demo</h1>');
    expect(text).toContain('11 tools for AI clients');
    expect(text).toContain('svc-kit 1.2.3');
    expect(text).toContain('No login');
    for (const name of [
      'Claude Code',
      'Claude Desktop',
      'Cursor',
      'Visual Studio Code',
      'Codex',
      'Gemini CLI',
    ])
      expect(text).toContain(`<h3>${name}</h3>`);
    expect(text).toContain('claude mcp add --transport http demo http://localhost:8000/mcp');
  });

  it('lists what anonymous callers may call, and nothing where callers sign in', async () => {
    const text = await (await open()(HTML)).text();
    expect(text).toContain('<h2>What it can do</h2>');
    expect(text).toContain('<dt><code>greet</code></dt><dd>Runs greet</dd>');
    const closed = await open({ authenticate: async () => null })(HTML);
    expect(await closed.text()).not.toMatch(/greet|What it can do/);
  });

  it('answers browsers with pages for errors, and programs with JSON', async () => {
    const page = await open({}, { url: 'http://localhost:8000/nothing' })(HTML);
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    const text = await page.text();
    expect(text).toContain('<h1>Not found</h1>');
    expect(text).toContain('<a href="http://localhost:8000/">Start page of this server</a>');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const mcp = await open({}, { url: 'http://localhost:8000/mcp' })(HTML);
    expect([mcp.status, mcp.headers.get('allow')]).toEqual([405, 'POST']);
    expect(await mcp.text()).toContain('<h1>Not a page</h1>');
    const foreign = await open({}, { url: 'http://evil.example/<b>' })(HTML);
    expect(foreign.status).toBe(403);
    expect(await foreign.text()).not.toContain('Start page');
    for (const accept of ['application/json', 'text/event-stream', '*/*', undefined]) {
      const json = await open({}, { url: 'http://localhost:8000/nothing' })(accept);
      expect(await json.json()).toEqual({ error: 'not_found', message: 'There is nothing here.' });
    }
  });

  it('tells programs the same as JSON', async () => {
    for (const accept of ['application/json', '*/*', undefined, 'text/html;q=0, */*']) {
      const response = await open()(accept);
      expect(await response.json()).toEqual({
        name: 'demo',
        version: '1.2.3',
        mcp: { url: 'http://localhost:8000/mcp', transport: 'streamable-http', authentication: 'none' },
        tools: 11,
        resources: 0,
        prompts: 0,
      });
    }
  });

  it('is kept by no cache, whose next reader may have asked another name', async () => {
    for (const accept of [HTML, 'application/json']) {
      const { headers } = await open()(accept);
      expect(headers.get('vary')).toContain('Accept');
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  it('says that people log in, where they do', async () => {
    const authenticate = async () => null;
    const ask = open({ authenticate });
    expect(await (await ask(HTML)).text()).toContain('Login required');
    expect(await (await ask()).json()).toMatchObject({ mcp: { authentication: 'oauth' } });
  });

  it('names the public address', async () => {
    const publicAddress = { baseUrl: 'https://mcp.example.org', trustProxy: false, scheme: null };
    expect(await (await open({ publicAddress: publicAddress })(HTML)).text()).toContain(
      'https://mcp.example.org/mcp',
    );
  });

  it('runs no script and loads nothing, and its policy says so', async () => {
    const response = await open()(HTML);
    const text = await response.text();
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    const style = /<style>([\s\S]*)<\/style>/.exec(text)?.[1] ?? '';
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style));
    expect(policy).toContain(`style-src 'sha256-${Buffer.from(digest).toString('base64')}'`);
    expect(text).not.toMatch(/<script|<img|<link|\son\w+=|style=|javascript:|@import|url\(/i);
  });

  it.each([
    ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['"><img src=x onerror=alert(1)>', '&quot;&gt;&lt;img src=x onerror=alert(1)&gt;'],
    ["'; DROP", '&#39;; DROP'],
    ['gnp\u202Eexe', 'gnp exe'],
  ])('shows %s of a project as text', async (project, shown) => {
    const text = await (await open({}, { project })(HTML)).text();
    expect(text).toContain(`<h1>${shown}</h1>`);
    expect(text).not.toContain(project);
  });

  it('shows whatever host a client claims as text', async () => {
    const url = `http://a"'&(b.example/`;
    const text = await (await open({ access: OPEN_ACCESS }, { url })(HTML)).text();
    expect(text).not.toMatch(/a"'&\(b/);
    expect(text).toContain('a&quot;&#39;&amp;(b.example');
  });

  it('answers HEAD, and no POST', async () => {
    const app = createTestApp();
    const ask = (method: string) =>
      app.fetch(new Request('http://localhost/', { method, headers: { host: 'localhost' } }));
    expect((await ask('HEAD')).status).toBe(200);
    expect(await (await ask('HEAD')).text()).toBe('');
    expect((await ask('POST')).status).toBe(404);
  });
});
