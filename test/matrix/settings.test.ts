import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { buildTarget } from '../../deploy/build.ts';
import type { TargetName } from '../../deploy/targets/targets.ts';
import { EDGE_PLATFORMS, type Started } from './edge-platforms.ts';
import { createProject } from './fixture.ts';
import { rawCall } from './raw.ts';

const PLANTED = 'planted-4711';
const CONFIG = `svc: 1
projects:
  matrix:
    profiles:
      default:
        secrets:
          - name: crm
            type: custom
            parameters:
              token: "\${CRM_TOKEN}"
              other: "\${CRM_OTHER}"
`;
const SOUND = { CRM_TOKEN: PLANTED, CRM_OTHER: 'x' };
/** One of the two is not set. */
const LACKING = { CRM_TOKEN: PLANTED };

let root: string;
let out: string;

beforeAll(async () => {
  root = await createProject();
  out = await mkdtemp(join(tmpdir(), 'svc-settings-'));
  await appendFile(join(root, 'svc-site.yml'), 'secrets: [crm]\n');
  await writeFile(join(root, 'user.yml'), CONFIG);
});
afterAll(async () => {
  for (const folder of [root, out]) await rm(folder, { recursive: true });
});

/** Both ways of the user file: in the artefact, and as a variable of the platform. */
async function build(target: TargetName, bundled: boolean): Promise<string> {
  const config = bundled ? { config: 'user.yml' } : {};
  return (
    await buildTarget({ root, public: true, target, out: join(out, `${target}-${bundled}`), ...config })
  ).out;
}

async function whileRunning<T>(started: Started, use: (started: Started) => Promise<T>): Promise<T> {
  try {
    return await use(started);
  } finally {
    await started.close();
  }
}

/** Takes the whole answer: a function that is killed while it sends is an error of the test. */
async function statusOf(url: URL): Promise<number> {
  const answer = await fetch(url);
  await answer.text();
  return answer.status;
}

async function expectRefusal(started: Started, file: string): Promise<void> {
  const shown: string[] = [];
  for (const path of ['mcp', 'health', 'ready']) {
    const init = path === 'mcp' ? { method: 'POST', body: '{}' } : {};
    const answer = await fetch(new URL(path, started.url), init);
    expect(answer.status, path).toBe(503);
    const body = await answer.text();
    expect(body, path).toContain('config_invalid');
    shown.push(body);
  }
  expect(shown.join()).not.toMatch(/CRM_|crm|planted/);
  await vi.waitFor(() => expect(started.log().join('\n')).toContain('refusing to serve'), 20_000);
  const lines = started.log().join('\n');
  expect(lines).toMatch(new RegExp(`${file}:\\d+: .*CRM_OTHER.* not set`));
  expect(lines).not.toContain(PLANTED);
}

describe.each(EDGE_PLATFORMS)('%s', (target, start) => {
  test('a bundled user file: a variable is resolved at the start, and one that is not set refuses', async () => {
    const folder = await build(target, true);
    await whileRunning(await start(folder, SOUND), async ({ url, log }) => {
      const answer = await rawCall({ kind: 'http', url: new URL('mcp', url) }, 'hello');
      expect(JSON.parse(answer).result.isError).toBeUndefined();
      expect(log().join('\n')).not.toContain(PLANTED);
    });
    await whileRunning(await start(folder, LACKING), (started) => expectRefusal(started, 'config.yml'));
  });

  test('SVC_CONFIG_YAML: the same, and without it a secret that the site names refuses', async () => {
    const folder = await build(target, false);
    const env = { SVC_CONFIG_YAML: CONFIG };
    await whileRunning(await start(folder, { ...SOUND, ...env }), async ({ url }) => {
      expect(await statusOf(new URL('ready', url))).toBe(200);
    });
    await whileRunning(await start(folder, { ...LACKING, ...env }), (started) =>
      expectRefusal(started, 'SVC_CONFIG_YAML'),
    );
    await whileRunning(await start(folder, {}), async ({ url, log }) => {
      expect(await statusOf(new URL('health', url))).toBe(503);
      await vi.waitFor(() => expect(log().join('\n')).toMatch(/refusing to serve: .*crm/), 20_000);
    });
  });
});

test('node: a reference that is not set ends the program with a line that names it, and no value', async () => {
  const cwd = await build('node', true);
  const env = { PORT: '0', ...LACKING };
  const child = spawn(process.execPath, ['index.js'], { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
  const [log, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect(code).toBe(1);
  expect(JSON.parse(log).message).toMatch(/config\.yml:\d+: .*CRM_OTHER.* not set/);
  expect(log).not.toContain(PLANTED);
});
