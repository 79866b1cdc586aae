import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { buildTarget } from '../../deploy/build.ts';
import type { BuildResult } from '../../deploy/build-options.ts';
import { startFunction } from '../../deploy/targets/aws-lambda/preview/function.ts';
import { unallowedComponents } from '../licences.ts';
import { type Running, startNode, startOnVercel } from './platforms.ts';
import { callerOf, createPythonProject, type Files, SHARED } from './python-project.ts';

// whole programs start here, on machines with little to spare
vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

const FILES: Files = {
  ...SHARED,
  'python/tools.py': `
import asyncio, datetime, decimal, os, statistics
from svc.runtime import UserError, db
from shared import rounded

async def amounts(country):
    rows = db.execute("SELECT amount FROM orders JOIN customers ON customers.id = customer_id WHERE country = $country", {"country": country})
    await asyncio.sleep(0.01)
    print("printed", len(rows))
    return {"count": len(rows), "median": rounded(statistics.median(float(row["amount"]) for row in rows))}

def everything():
    return [1, 2**80, 0.1, decimal.Decimal("1.50"), datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 12), True, None, "Zoë 東京"]

def fails():
    return {"a": 1}["planted words"]

def refuses():
    raise UserError("Not on a Sunday.")

def ends():
    os._exit(3)

def loops():
    while True: pass

def large():
    print("printed")
    return "x" * 10_000_000
`,
};

let root: string;
let out: string;
const built = new Map<string, BuildResult>();

beforeAll(async () => {
  root = await createPythonProject(FILES);
  out = await mkdtemp(join(tmpdir(), 'svc-python-'));
  for (const target of ['aws-lambda', 'node', 'vercel'] as const) {
    built.set(target, await buildTarget({ root, public: true, target, out: join(out, target) }));
  }
});
afterAll(async () => {
  for (const folder of [root, out]) await rm(folder, { recursive: true });
});

interface Logged extends Running {
  /** Lines of its log, where the platform keeps them for us. */
  readonly log?: readonly string[];
}

async function startLambda(folder: string): Promise<Logged> {
  const { url, log, close } = await startFunction(join(folder, 'function.zip'), { gateway: 'function-url' });
  return { reach: { kind: 'http', url: new URL('mcp', url) }, log, close };
}

const PATH = process.env.PATH ?? '';

describe.each([
  { name: 'Lambda', target: 'aws-lambda', start: startLambda },
  {
    name: 'Node without python3',
    target: 'node',
    start: (folder: string): Promise<Logged> => startNode(folder),
  },
  {
    name: 'Node with python3',
    target: 'node',
    start: (folder: string): Promise<Logged> => startNode(folder, { PATH }),
  },
  { name: 'Vercel', target: 'vercel', start: (folder: string): Promise<Logged> => startOnVercel(folder) },
])('$name', ({ target, start }) => {
  let running: Logged;
  beforeAll(async () => {
    running = await start(join(out, target));
  });
  afterAll(() => running.close());

  const call = callerOf(() => running.reach);

  // Requirements: service.2
  test('functions query the database of the artefact and use modules of the project', async () => {
    const { structuredContent, content } = await call('amounts', { country: 'DE' });
    const value = structuredContent ?? JSON.parse(content[0].text);
    expect(value).toEqual({ count: 1000, median: 124.62 });
    if (running.log !== undefined) expect(running.log.join('\n')).toContain('python/tools.py: printed 1000');
  });

  test('values have the forms that they have everywhere', async () => {
    const { content } = await call('everything');
    expect(content.map(({ text }: { text: string }) => text).join('')).toBe(EVERYTHING);
  });

  test('a result of 10 MB arrives whole', async () => {
    expect((await call('large')).content[0].text).toHaveLength(10_000_000);
  });

  test('an exception says nothing, and what is meant for the client is said', async () => {
    const failed = await call('fails');
    expect(failed.isError).toBe(true);
    expect(JSON.stringify(failed)).not.toMatch(/planted|KeyError|Traceback|tools\.py/);
    expect((await call('refuses')).content[0].text).toContain('Not on a Sunday.');
  });

  test('a function that is not there fails its calls, and the log names the nearest', async () => {
    const { isError, content } = await call('larger');
    expect([isError, content[0].text]).toEqual([
      true,
      expect.stringMatching(/^The function of this endpoint failed\./),
    ]);
    if (running.log !== undefined)
      expect(running.log.join('\n')).toContain('python/tools.py has no function larger. Did you mean large?');
  });

  test('what ends its interpreter or never ends harms no other call', async () => {
    expect((await call('ends')).isError).toBe(true);
    expect((await call('loops')).isError).toBe(true);
    const results = await Promise.all(Array.from({ length: 20 }, () => call('amounts', { country: 'JP' })));
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
    expect(results[0].isError).toBeUndefined();
  });
});

const EVERYTHING =
  '[1,"1208925819614629174706176",0.1,1.5,"2024-02-29","2024-02-29T12:00:00",true,null,"Zoë 東京"]';

/** Runs the Node artefact to its end. */
async function runToEnd(cwd: string, port: string, onStart: (child: ChildProcess) => Promise<void>) {
  const env = { PATH, PORT: port };
  const child = spawn(process.execPath, ['index.js'], { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
  const [log, [code]] = await Promise.all([text(child.stderr), once(child, 'exit'), onStart(child)]);
  return { code, log };
}

test('a failed start ends the program and its Python', async () => {
  const { code, log } = await runToEnd(join(out, 'node'), 'http', async () => {});
  expect(code).toBe(2);
  expect(log).toContain('PORT is http');
});

test('SIGTERM does not wait for a file that loads', async () => {
  const stuck = join(out, 'stuck');
  const began = join(stuck, 'began');
  await cp(join(out, 'node'), stuck, { recursive: true });
  const endless = `import time\nopen(${JSON.stringify(began)}, 'w').close()\nwhile True: time.sleep(1)\n`;
  await writeFile(join(stuck, 'project/python/tools.py'), endless);
  const { code, log } = await runToEnd(stuck, '0', async (child) => {
    await vi.waitFor(() => expect(existsSync(began)).toBe(true), 60_000);
    child.kill('SIGTERM');
  });
  expect(code).toBe(0);
  // A load that reaches its limit would be reported.
  expect(log).not.toContain('cannot be loaded');
});

test('the package of Lambda stays well below what can be uploaded directly', async () => {
  const zip = await readFile(join(out, 'aws-lambda/function.zip'));
  expect(zip.length).toBeLessThan(25 * 1_048_576);
  const packed = Object.keys(unzipSync(zip, { filter: ({ name }) => !name.startsWith('pyodide/') }));
  expect(packed).toContain('project/python/tools.py');
  expect(packed).toContain('project/python/shared/__init__.py');
  expect(packed.filter((path) => path.includes('__pycache__'))).toEqual([]);
  const bom = await readFile(join(out, 'aws-lambda/sbom.cdx.json'), 'utf8');
  expect(bom).toContain('pkg:npm/pyodide@314.0.7');
  expect(unallowedComponents(bom)).toEqual(['pyodide: MPL-2.0 AND PSF-2.0']);
  const licenses = await readFile(join(out, 'aws-lambda/THIRD-PARTY-LICENSES.txt'), 'utf8');
  expect(licenses).toMatch(/Mozilla Public License Version 2.0[\s\S]*PYTHON SOFTWARE FOUNDATION LICENSE/);
});

test('the same project gives the same bytes, Python and all', async () => {
  const again = await buildTarget({ root, public: true, target: 'node', out: join(out, 'again') });
  const first = built.get('node');
  expect(again.hash).toBe(first?.hash);
  expect(again.files).toEqual(first?.files);
  const snapshots = ['node', 'again'].map((folder) => readFile(join(out, folder, 'pyodide/snapshot.bin')));
  const [one, two] = await Promise.all(snapshots);
  expect(one?.equals(two ?? new Uint8Array())).toBe(true);
});

test('what Python cannot do there stops the build with its place', async () => {
  await writeFile(join(root, 'python/tools.py'), `import numpy\n${FILES['python/tools.py']}`);
  const building = buildTarget({ root, public: true, target: 'aws-lambda', out: join(out, 'refused') });
  await expect(building).rejects.toMatchObject({
    code: 'project_invalid',
    message: expect.stringMatching(/^python\/tools\.py:1:1: numpy has native code/),
  });
  const workers = buildTarget({
    root,
    public: true,
    target: 'cloudflare-workers',
    out: join(out, 'refused'),
  });
  await expect(workers).rejects.toMatchObject({ code: 'target_unsupported' });
});
