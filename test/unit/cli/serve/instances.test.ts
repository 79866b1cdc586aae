import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

const _meta = { ...ENVELOPE, 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
const YES = { confirm: { action: 'accept', content: { ok: true } } };

/** Calls the tool at one instance, agrees, and calls it again at the other; returns the second answer. */
async function confirmAcross(first: URL, second: URL) {
  const call = async (url: URL, more: object) => {
    const { body, headers } = modern('tools/call', { name: 'wipe', arguments: {} });
    const response = await fetch(new URL('/mcp', url), {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ ...body, params: { ...body.params, ...more, _meta } }),
    });
    return response.json();
  };
  const asked = await call(first, {});
  expect(asked.result).toMatchObject({ resultType: 'input_required' });
  return call(second, { inputResponses: YES, requestState: asked.result.requestState });
}

async function createProject(): Promise<string> {
  const root = folder();
  mkdirSync(join(root, 'tools'));
  writeFileSync(join(root, 'svc-site.yml'), SITE);
  writeFileSync(join(root, 'tools/wipe.yml'), WIPE);
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
    expect(await confirmAcross(one, other)).toMatchObject({
      result: { structuredContent: [{ done: 'wiped' }] },
    });
    expect(await confirmAcross(one, stranger)).toMatchObject({ error: { code: -32602 } });
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
