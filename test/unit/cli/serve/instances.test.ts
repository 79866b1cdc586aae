import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, SSEClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFromSeed } from '../../../../adapters/node/database/seed.ts';
import { buildTarget } from '../../../../deploy/build.ts';
import { generateKey } from '../../../../src/crypto/keys.ts';
import { startInstance } from '../../../matrix/scale/instance.ts';
import { ENVELOPE, modern } from '../../mcp/fixture.ts';
import { folder, Svc } from '../svc.ts';

const SITE = 'svc: 1\nproject: instances\nprofile: default\n';
const WIPE = `svc: 1
tool:
  name: wipe
  description: Wipes
  confirm: Really wipe?
  source: { code: SELECT 'wiped' AS done }
`;

const MANY = `svc: 1
tool:
  name: many
  description: Many rows
  large_result: { rows: 2, format: csv }
  source: { code: SELECT i FROM range(5) t(i) }
`;

const _meta = { ...ENVELOPE, 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
const YES = { confirm: { action: 'accept', content: { ok: true } } };

/** Sends a request to an instance and returns the answer. */
type Send = (method: string, params: { readonly [key: string]: unknown }) => Promise<Answer>;

interface Answer {
  readonly result: {
    readonly requestState?: string;
    readonly content?: readonly { readonly uri?: string }[];
  };
}

const overHttp =
  (url: URL): Send =>
  async (method, params) => {
    const { body, headers } = modern(method, params);
    const response = await fetch(new URL('/mcp', url), {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ ...body, params: { ...body.params, _meta } }),
    });
    return response.json();
  };

/** Sends requests to the stdin of a program; each has to be answered before the next. */
function overStdio({ stdin, stdout }: ChildProcess): Send {
  if (stdin === null || stdout === null) throw new Error('the program has no pipes');
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  return async (method, params) => {
    const { body } = modern(method, params);
    stdin.write(`${JSON.stringify({ ...body, params: { ...body.params, _meta } })}\n`);
    return JSON.parse((await lines.next()).value ?? '');
  };
}

/** Calls the tool at one instance, agrees, and calls it again at the other; returns the second answer. */
async function confirmAcross(first: Send, second: Send): Promise<Answer> {
  const call = (send: Send, more: object) => send('tools/call', { name: 'wipe', arguments: {}, ...more });
  const asked = await call(first, {});
  expect(asked.result).toMatchObject({ resultType: 'input_required' });
  return call(second, { inputResponses: YES, requestState: asked.result.requestState });
}

/** Reads all rows behind the link of a large result. */
function readLink(send: Send, { content = [] }: Answer['result']): Promise<Answer> {
  return send('resources/read', { uri: content.find(({ uri }) => uri !== undefined)?.uri });
}

const ALL_ROWS = {
  result: { contents: [{ mimeType: 'text/csv', text: expect.stringMatching(/^i\r?\n0\r?\n/) }] },
};

const WIPED = { result: { structuredContent: [{ done: 'wiped' }] } };

async function createProject(): Promise<string> {
  const root = folder();
  mkdirSync(join(root, 'tools'));
  writeFileSync(join(root, 'svc-site.yml'), SITE);
  writeFileSync(join(root, 'tools/wipe.yml'), WIPE);
  writeFileSync(join(root, 'tools/many.yml'), MANY);
  writeFileSync(join(root, 'config.yml'), 'svc: 1\n');
  writeFileSync(join(root, 'seed.sql'), 'SELECT 1');
  await createFromSeed(root, join(root, 'data/db-default.db'));
  return root;
}

function newKeys(): { readonly SVC_AUTH_KEYS: string } {
  const { kid, secret } = generateKey();
  return { SVC_AUTH_KEYS: `${kid}:${secret}` };
}

async function serve(root: string, env: Readonly<Record<string, string>>): Promise<URL> {
  const server = new Svc(['serve', '--stateless', '--port', '0', '--json'], { cwd: root, env });
  const [, url = ''] = await server.until(/"url":\s*"([^"]+)"/);
  return new URL(url);
}

async function start(artefact: string, env: Record<string, string>): Promise<URL> {
  const instance = await startInstance(artefact, env);
  onTestFinished(() => void instance.end('SIGKILL'));
  return instance.url;
}

describe('a call that a person confirms', { timeout: 120_000 }, () => {
  /** Starts two instances with the same keys and one with others, and confirms calls of the first at both. */
  const confirmAtEach = async (startOne: (env: { readonly SVC_AUTH_KEYS: string }) => Promise<URL>) => {
    const keys = newKeys();
    const [one, other, stranger] = await Promise.all([keys, keys, newKeys()].map(startOne));
    if (one === undefined || other === undefined || stranger === undefined) throw new Error('none started');
    expect(await confirmAcross(overHttp(one), overHttp(other))).toMatchObject(WIPED);
    expect(await confirmAcross(overHttp(one), overHttp(stranger))).toMatchObject({ error: { code: -32602 } });
  };

  it('goes on at another `svc serve --stateless` with the same keys, and at none with others', async () => {
    const root = await createProject();
    await confirmAtEach((env) => serve(root, env));
  });

  it('goes on at another Node artefact with the same keys, and at none with others', async () => {
    const root = await createProject();
    const out = join(root, 'out');
    const { out: artefact } = await buildTarget({ root, target: 'node', out, config: 'config.yml' });
    await confirmAtEach((env) => start(artefact, env));
  });
});

describe('all transports of a server have the keys', { timeout: 120_000 }, () => {
  it.each(['svc serve', 'the Node artefact'])(
    '%s over stdio goes on with what HTTP began',
    async (program) => {
      const root = await createProject();
      const env = newKeys();
      const http = overHttp(await serve(root, env));
      const stdio = overStdio(program === 'svc serve' ? serveStdio(root, env) : await startStdio(root, env));
      expect(await confirmAcross(http, stdio)).toMatchObject(WIPED);
      const { result } = await stdio('tools/call', { name: 'many', arguments: {} });
      expect(await readLink(http, result)).toMatchObject(ALL_ROWS);
    },
  );

  it('HTTP+SSE gives links that HTTP reads', async () => {
    const root = await createProject();
    const server = new Svc(['serve', '--transport', 'sse', '--port', '0', '--json'], {
      cwd: root,
      env: newKeys(),
    });
    const url = new URL((await server.until(/"url":\s*"([^"]+)"/))[1] ?? '');
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
    onTestFinished(() => client.close());
    await client.connect(new SSEClientTransport(url));
    const result = await client.callTool({ name: 'many', arguments: {} });
    expect(await readLink(overHttp(url), result as Answer['result'])).toMatchObject(ALL_ROWS);
  });
});

function serveStdio(root: string, env: Readonly<Record<string, string>>): ChildProcess {
  return new Svc(['serve', '--transport', 'stdio'], { cwd: root, env }).child;
}

async function startStdio(root: string, env: Readonly<Record<string, string>>): Promise<ChildProcess> {
  const { out } = await buildTarget({ root, target: 'node', out: join(root, 'out'), config: 'config.yml' });
  const child = spawn(process.execPath, [join(out, 'index.js'), '--stdio'], { cwd: out, env: { ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}
