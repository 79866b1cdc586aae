import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { isRunning } from '../../is-running.ts';
import { callLegacy } from '../../legacy-request.ts';
import { PYTHON } from '../adapters/python/found.ts';
import { folder, Svc, svc } from './svc.ts';

// whole programs start here, on machines with little to spare
vi.setConfig({ testTimeout: 120_000 });

const FILES = {
  'svc-site.yml': 'svc: 1\nproject: demo\nprofile: default\nsecrets: [api]\n',
  'tools/state.yml': 'tool:\n  name: state\n  source: { file: state.py }\n',
  'tools/state.py': `import os
from shared import NUMBER
from svc.runtime import config, db, on_init, on_shutdown

@on_init
def begin():
    print("began in", os.getpid(), flush=True)

@on_shutdown
def end():
    print("ended in peace")

def state():
    secret = config.get_secret("api")
    return {"pid": os.getpid(), "number": NUMBER, "key": secret and secret["key"], "one": db.execute("SELECT 1 AS one")[0]["one"]}
`,
  'python/shared.py': 'NUMBER = 1\n',
  'private/key': 'first-key',
};

const USER = (root: string) => `svc: 1
projects:
  demo:
    profiles:
      default:
        secrets:
          - { name: api, type: api, parameters: { key: "file://${root}/private/key" } }
`;

function pythonProject(): { root: string; env: Record<string, string> } {
  const root = folder();
  for (const [path, text] of Object.entries({ ...FILES, 'private/config.yml': USER(root) })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return { root, env: { SVC_CONFIG: join(root, 'private/config.yml') } };
}

interface State {
  readonly pid: number;
  readonly number: number;
  readonly key: string;
  readonly one: number;
}

async function stateOf(url: string): Promise<State> {
  const response = await callLegacy(url, 'state');
  const text = await response.text();
  const { result } = JSON.parse(text.startsWith('{') ? text : text.replace(/^[\s\S]*?data: /, ''));
  return JSON.parse(result.content[0].text);
}

async function started(command: 'serve' | 'dev') {
  const { root, env } = pythonProject();
  const server = new Svc([command, '--port', '0', '--json'], { cwd: root, env });
  const { url } = JSON.parse((await server.until(/^.*\n/))[0]);
  return { root, server, url };
}

describe.skipIf(PYTHON === null)('Python endpoints', () => {
  it('are served, begin anew with a reload, and end in peace with the server', async () => {
    const { root, server, url } = await started('serve');
    await server.until(/tools\/state\.py: began in \d+/, 'stderr');
    const first = await stateOf(url);
    expect(first).toMatchObject({ number: 1, key: 'first-key', one: 1 });
    writeFileSync(join(root, 'private/key'), 'second-key');
    writeFileSync(join(root, 'python/shared.py'), 'NUMBER = 2\n');
    expect(await stateOf(url)).toMatchObject({ number: 1 });
    server.child.kill('SIGHUP');
    await server.until(/reloaded/, 'stderr');
    await server.until(/(tools\/state\.py: began in \d+[\s\S]*){2}/, 'stderr');
    const second = await stateOf(url);
    expect(second).toMatchObject({ number: 2, key: 'second-key' });
    server.child.kill('SIGTERM');
    expect((await server.ended).code).toBe(0);
    expect(server.stderr.match(/ended in peace/g)?.length).toBeGreaterThanOrEqual(2);
    expect(server.stderr).not.toMatch(/first-key|second-key/);
    expect([first.pid, second.pid].map(isRunning)).toEqual([false, false]);
  });

  it('leave no process behind when the server is killed', async () => {
    const { server, url } = await started('serve');
    const { pid } = await stateOf(url);
    server.child.kill('SIGKILL');
    await server.ended;
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), 30_000);
  });

  it('are taken up by `svc dev` as they are saved, modules too', async () => {
    const { root, server, url } = await started('dev');
    expect(await stateOf(url)).toMatchObject({ number: 1 });
    writeFileSync(join(root, 'python/shared.py'), 'NUMBER = 30\n');
    expect(await stateOf(url)).toMatchObject({ number: 30 });
    writeFileSync(join(root, 'tools/state.py'), 'def state(:\n');
    await server.until(/tools\/state\.py:1:11 +error +This is not valid Python/, 'stderr');
  });

  it('tell the person who runs them what they print, and where they fail', async () => {
    const { root, env } = pythonProject();
    const ran = await svc(['run', 'tool', 'state', '--json'], root, env);
    expect(JSON.parse(ran.stdout)).toMatchObject({ number: 1, key: 'first-key' });
    expect(ran.stderr).toContain('tools/state.py: began in');
    writeFileSync(join(root, 'python/shared.py'), 'NUMBER = 1 / 0\n');
    const failed = await svc(['run', 'tool', 'state'], root, env);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain('python/shared.py:1: ZeroDivisionError: division by zero');
    writeFileSync(join(root, 'tools/state.py'), 'def stat():\n    pass\n');
    const checked = await svc(['validate'], root, env);
    expect([checked.code, checked.stdout]).toEqual([1, expect.stringContaining('has no function state')]);
  });

  it('leave no program behind that a function started', async () => {
    const { root, env } = pythonProject();
    writeFileSync(join(root, 'tools/leaves.yml'), 'tool:\n  name: leaves\n  source: { file: leaves.py }\n');
    writeFileSync(
      join(root, 'tools/leaves.py'),
      'import subprocess, sys\n\ndef leaves():\n    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"]).pid\n',
    );
    const { code, stdout } = await svc(['run', 'tool', 'leaves', '--json'], root, env);
    expect(code).toBe(0);
    await vi.waitFor(() => expect(isRunning(JSON.parse(stdout))).toBe(false), 30_000);
  });

  it('of the example compute their statistics', async () => {
    const root = join(folder(), 'python-analysis');
    cpSync(resolve('examples/python-analysis'), root, { recursive: true });
    const [validated, tested] = [await svc(['validate'], root), await svc(['test', '--json'], root)];
    expect([validated.code, validated.stdout]).toEqual([0, expect.stringContaining('ok: 3 endpoints')]);
    expect([tested.code, JSON.parse(tested.stdout).status]).toEqual([0, 'ok']);
  });

  it('of the other example call a service with their secret, and the record tells of it', async () => {
    const root = join(folder(), 'python-http');
    cpSync(resolve('examples/python-http'), root, { recursive: true });
    const asked: (string | undefined)[] = [];
    const rates = createServer(({ headers }, response) => {
      asked.push(headers.authorization);
      response.end(JSON.stringify({ rates: { USD: 1.5 } }));
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void rates.close());
    await new Promise((resolve) => rates.once('listening', resolve));
    const { port } = rates.address() as AddressInfo;
    const env = {
      SVC_CONFIG: join(root, 'config.example.yml'),
      RATES_URL: `http://127.0.0.1:${port}`,
      RATES_KEY: 'planted-rates-key',
    };
    const args = [
      'run',
      'tool',
      'price_in',
      '--param',
      'product=kettle',
      '--param',
      'currency=USD',
      '--json',
    ];
    const { code, stdout, stderr } = await svc(args, root, env);
    expect([code, stderr.replace(/^created .*\n/, '')]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toEqual({ product: 'Kettle', currency: 'USD', rate: 1.5, price: 74.85 });
    expect(asked).toEqual(['Bearer planted-rates-key']);
    const audit = readFileSync(join(root, 'audit/logs-default.jsonl'), 'utf8');
    expect(JSON.parse(audit).execution_events).toMatchObject([
      {
        kind: 'external',
        target: 'exchange rates',
        operation: 'GET /latest',
        status: 'success',
        summary: '1 rates',
      },
    ]);
    expect(audit).not.toContain('planted-rates-key');
  });
});

it('a Python that is not there is said with what to do', async () => {
  const { root, env } = pythonProject();
  const none = { ...env, SVC_PYTHON: '/no/such/python' };
  const { code, stderr } = await svc(['run', 'tool', 'state'], root, none);
  expect(code).toBe(1);
  expect(stderr).toContain('The configured interpreter cannot run Python endpoints');
  expect(stderr).toContain('/no/such/python: the program does not exist');
  const checked = await svc(['validate'], root, none);
  expect([checked.code, checked.stdout]).toEqual([0, expect.stringContaining('The Python was not checked')]);
});

it.runIf(PYTHON !== null)('a function that is not there stops a build, with its place', async () => {
  const { root, env } = pythonProject();
  writeFileSync(join(root, 'tools/state.py'), 'def stat():\n    return 1\n');
  const { code, stderr } = await svc(['build', '--target', 'aws-lambda', '--public'], root, env);
  expect(code).toBe(1);
  expect(stderr).toMatch(/tools\/state\.yml:3:\d+.*tools\/state\.py has no function state/);
});
