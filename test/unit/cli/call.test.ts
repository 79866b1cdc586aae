import { once } from 'node:events';
import { appendFileSync, cpSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { schemaIn, toArguments } from '../../../cli/commands/call.ts';
import { folder, project, Svc, svc } from './svc.ts';

/** The example in a folder of its own, served. */
async function served(): Promise<{ root: string; url: string }> {
  const root = join(folder(), 'shop');
  cpSync('examples/shop', root, { recursive: true, filter: (path) => !/[\\/](data|\.svc)$/.test(path) });
  const server = new Svc(['serve', '--port', '0'], { cwd: root });
  const [, url = ''] = await server.until(/serving .* on (\S+)/);
  return { root, url };
}

/** A server that is somebody else's, and only ever answers so. */
async function answering(status: number): Promise<{ url: string; seen: (string | undefined)[] }> {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(status).end('{}');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

describe('svc call', { timeout: 60_000 }, () => {
  it('asks a running server for tools, resources and prompts', async () => {
    const { root, url } = await served();
    const call = (...args: string[]) => svc(['call', ...args, '--url', url], root);
    const [list, tool, json, resource, prompt] = [
      await call('--list', '--json'),
      await call('search_products', '--param', 'words=tea', '--param', 'limit=1'),
      await call('search_products', '--param', 'max_price=20', '--param', 'limit=1', '--json'),
      await call('shop://opening-hours', '--resource'),
      await call('sales_review', '--prompt', '--param', 'month=2026-02'),
    ];
    const offers: { kind: string; name: string }[] = JSON.parse(list.stdout).offers;
    expect(new Set(offers.map(({ kind }) => kind))).toEqual(new Set(['tool', 'resource', 'prompt']));
    expect(tool).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('(1 row)') });
    expect(JSON.parse(json.stdout)).toMatchObject({
      content: [{ type: 'text' }],
      structuredContent: [{ price: 8.5 }],
    });
    expect(resource).toMatchObject({ code: 0, stdout: expect.stringContaining('# Opening hours') });
    expect(prompt).toMatchObject({ code: 0, stdout: expect.stringMatching(/^user:\nYou are an analyst/) });

    const [unknown, failed, denied, elsewhere] = [
      await call('search_product'),
      await call('search_products', '--param', 'limit=many', '--json'),
      await call('get_customer', '--param', 'id=1'),
      await svc(['call', 'x', '--url', `${url}/other`], root),
    ];
    expect(unknown).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean search_products?'),
    });
    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.stdout)).toMatchObject({ isError: true });
    expect(denied).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('Sign in') });
    expect(elsewhere).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/no MCP endpoint at .*\(404\)/),
    });
  });

  it('calls tools that the server shows by `tool_search`, with the types of their schemas', async () => {
    const root = await project();
    appendFileSync(join(root, 'svc-site.yml'), 'tool_search: true\n');
    writeFileSync(
      join(root, 'tools/twice.yml'),
      'svc: 1\ntool: { name: twice, description: Doubles., parameters: [{ name: n, type: integer }], source: { code: SELECT 2 * $n AS n } }\n',
    );
    for (const other of ['at', 'by', 'for', 'in', 'of', 'on'])
      writeFileSync(
        join(root, `tools/${other}_twice.yml`),
        `svc: 1\ntool: { name: ${other}_twice, description: No., source: { code: SELECT 1 AS n } }\n`,
      );
    const server = new Svc(['serve', '--port', '0'], { cwd: root });
    const [, url = ''] = await server.until(/serving .* on (\S+)/);
    const twice = await svc(['call', 'twice', '--param', 'n=4', '--url', url, '--json'], root);
    expect(JSON.parse(twice.stdout)).toMatchObject({ structuredContent: [{ n: 8 }] });
    expect(await svc(['call', 'thrice', '--url', url], root)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('offers no tool thrice'),
    });
  });

  it('fills in the URI of a resource, and refuses parameters that nothing takes', async () => {
    const { root, url } = await served();
    const call = (...args: string[]) => svc(['call', ...args, '--url', url], root);
    const hours = await call('shop://{page}', '--resource', '--param', 'page=opening-hours');
    expect(hours).toMatchObject({ code: 0, stdout: expect.stringContaining('# Opening hours') });
    const slash = await call('shop://customers/{id}', '--resource', '--param', 'id=1/2', '--json');
    expect(slash).toMatchObject({ code: 1, stdout: expect.stringContaining('whole number') });
    const refused = [
      await call('shop://opening-hours', '--resource', '--param', 'id=1'),
      await call('shop://customers/{id}', '--resource'),
      await call('--list', '--param', 'id=1'),
    ];
    expect(refused.map(({ code }) => code)).toEqual([2, 2, 2]);
    const [extra, missing, list] = refused.map(({ stderr }) => stderr);
    expect(extra).toContain('--param id: shop://opening-hours has no placeholder {id}.');
    expect(missing).toContain('--param id=value');
    expect(list).toContain('--list takes no --param');
  });

  it('says what keeps it from asking', async () => {
    const root = await project();
    const closed = await answering(401);
    const token = { MCP_TOKEN: 'planted-token' };
    const [bare, sent, unset] = [
      await svc(['call', 'x', '--url', closed.url], root),
      await svc(['call', 'x', '--url', closed.url, '--token-env', 'MCP_TOKEN'], root, token),
      await svc(['call', 'x', '--url', closed.url, '--token-env', 'NOT_SET_HERE'], root),
    ];
    expect(bare).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/requires a token \(401\).*--token-env/s),
    });
    expect(sent).toMatchObject({ code: 1, stderr: expect.stringContaining('rejects this token') });
    expect(closed.seen).toContain('Bearer planted-token');
    expect(`${sent.stdout}${sent.stderr}`).not.toContain('planted-token');
    expect(unset).toMatchObject({ code: 2, stderr: expect.stringContaining('NOT_SET_HERE is not set') });
    const gone = await answering(500);
    const configured = `svc: 1\ntransport: { http: { port: ${new URL(gone.url).port} } }\n`;
    const own = await svc(['call', 'x'], root, { SVC_CONFIG_YAML: configured });
    expect({ code: own.code, asked: gone.seen.length > 0 }).toEqual({ code: 1, asked: true });
    expect(await svc(['call'], root)).toMatchObject({ code: 2, stderr: expect.stringContaining('--list') });
    const nobody = await svc(['call', 'x', '--url', 'http://127.0.0.1:1'], root);
    expect(nobody).toMatchObject({ code: 1, stderr: expect.stringMatching(/Nothing answers.*svc serve/s) });
  });
});

it('a tool that a search only names is called without its types', () => {
  const answer = { tools: [{ name: 'one', inputSchema: { type: 'object' } }], others: ['other'] };
  expect(['one', 'other', 'none'].map((name) => schemaIn(answer, name))).toEqual([
    { type: 'object' },
    {},
    null,
  ]);
});

describe('arguments from a command line', () => {
  it.each([
    ['5', { type: 'integer' }, 5],
    ['x', { type: 'integer' }, 'x'],
    ['5', { type: 'string' }, '5'],
    ['true', { type: 'boolean' }, true],
    ['[1]', { type: 'array' }, [1]],
    ['null', { type: ['string', 'null'] }, 'null'],
    ['null', { anyOf: [{ type: 'number' }, { type: 'null' }] }, null],
    ['5', {}, '5'],
    ['9007199254740993', { type: 'integer' }, '9007199254740993'],
    ['-9007199254740993', { type: ['integer', 'null'] }, '-9007199254740993'],
    ['9007199254740993', { type: 'number' }, 9007199254740992],
    ['1e3', { type: 'integer' }, 1000],
    ['[9007199254740993, 1]', { type: 'array' }, ['9007199254740993', 1]],
    ['{"a": [9007199254740993]}', { type: 'object' }, { a: ['9007199254740993'] }],
    ['[9007199254740993]', { type: 'array', items: { type: 'number' } }, [9007199254740992]],
    [
      '{"a": 1e30, "b": "1"}',
      {
        anyOf: [{ type: 'object', properties: { a: { type: 'number' }, b: { type: ['string', 'number'] } } }],
      },
      { a: 1e30, b: '1' },
    ],
  ])('%s as %j', (text, schema, value) => {
    expect(toArguments({ a: text }, { properties: { a: schema } })).toEqual({ a: value });
  });
});
