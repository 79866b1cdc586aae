import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { buildTarget } from '../../deploy/build.ts';
import type { Reach } from './clients.ts';
import { callerOf, createPythonProject, type Files, SHARED, tool } from './python-project.ts';
import { type RunningWorker, startWorker } from './worker.ts';

// whole programs start here, on machines with little to spare
vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

const FILES: Files = {
  ...SHARED,
  'tools/gathered.yml': tool('gathered'),
  'tools/sleeps.yml': tool('sleeps', '[]', ', limits: {timeout: 1}'),
  'tools/drawn.yml': tool('drawn'),
  'python/tools.py': `
import asyncio, datetime, decimal, os, random, statistics, time
from svc.runtime import UserError, db, on_init
from shared import rounded

began = []

@on_init
def begin():
    began.append(1)

def amounts(country):
    rows = db.execute("SELECT amount FROM orders JOIN customers ON customers.id = customer_id WHERE country = $country", {"country": country})
    print("printed", len(rows))
    return {"count": len(rows), "median": rounded(statistics.median(float(row["amount"]) for row in rows)), "began": len(began)}

async def gathered():
    async def one(n):
        await asyncio.sleep(0.01)
        return db.execute("SELECT $n::INTEGER AS n", {"n": n})[0]["n"]
    return {"all": await asyncio.gather(*[one(n) for n in range(4)])}

def everything():
    return [1, 2**80, 0.1, decimal.Decimal("1.50"), datetime.date(2024, 2, 29), True, None, "Zoë 東京"]

def fails():
    return {"a": 1}["planted words"]

def refuses():
    raise UserError("Not on a Sunday.")

def sleeps():
    time.sleep(60)

def loops():
    while True: pass

def ends():
    os._exit(3)

def drawn():
    return {"number": random.random()}

def large():
    return {"text": "x" * 10_000_000}
`,
};

let root: string;
let out: string;
let worker: RunningWorker;

beforeAll(async () => {
  root = await createPythonProject(FILES);
  out = await mkdtemp(join(tmpdir(), 'svc-python-'));
  await buildTarget({
    root,
    public: true,
    target: 'cloudflare-workers',
    out: join(out, 'built'),
    experimentalPython: true,
  });
  worker = await startWorker(join(out, 'built'));
});
afterAll(async () => {
  await worker.close();
  for (const folder of [root, out]) await rm(folder, { recursive: true });
});

const reachOf = ({ url }: RunningWorker): Reach => ({ kind: 'http', url: new URL('mcp', url) });
const call = callerOf(() => reachOf(worker));

function answerOf({ content }: { content: readonly { text: string }[] }): unknown {
  return JSON.parse(content.map(({ text }) => text).join(''));
}

test('functions query the database of the other Worker, and files begin once', async () => {
  for (const country of ['DE', 'DE']) {
    expect(answerOf(await call('amounts', { country }))).toEqual({ count: 1000, median: 124.62, began: 1 });
  }
  expect(worker.log().join('\n')).toContain('python/tools.py: printed 1000');
});

test('asynchronous functions ask one after the other', async () => {
  expect(answerOf(await call('gathered'))).toEqual({ all: [0, 1, 2, 3] });
});

test('values have the forms that they have everywhere, large ones too', async () => {
  expect(answerOf(await call('everything'))).toEqual([
    1,
    '1208925819614629174706176',
    0.1,
    1.5,
    '2024-02-29',
    true,
    null,
    'Zoë 東京',
  ]);
  expect((answerOf(await call('large')) as { text: string }).text).toHaveLength(10_000_000);
});

test('an exception says nothing, and what is meant for the client is said', async () => {
  const failed = await call('fails');
  expect(failed.isError).toBe(true);
  expect(JSON.stringify(failed)).not.toMatch(/planted|KeyError|Traceback|tools\.py/);
  expect((await call('refuses')).content[0].text).toContain('Not on a Sunday.');
});

test('a call over its deadline ends, whatever it is at, and the next one need not wait', async () => {
  for (const name of ['sleeps', 'loops']) {
    const { isError, content } = await call(name);
    expect([isError, content[0].text]).toEqual([true, expect.stringContaining('took longer than 1000 ms')]);
    expect(answerOf(await call('amounts', { country: 'JP' }))).toMatchObject({ count: 500 });
  }
});

test('a function that is not there fails its calls', async () => {
  const { isError, content } = await call('larger');
  expect([isError, content[0].text]).toEqual([
    true,
    expect.stringMatching(/^The function of this endpoint failed\./),
  ]);
  expect(worker.log().join('\n')).toContain('python/tools.py has no function larger. Did you mean large?');
});

test('what ends its interpreter harms no other call', async () => {
  expect((await call('ends')).isError).toBe(true);
  expect(answerOf(await call('amounts', { country: 'JP' }))).toMatchObject({ count: 500 });
});

test('twenty calls at once each get their own answer', async () => {
  const countries = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 'DE' : 'FR'));
  const results = await Promise.all(countries.map((country) => call('amounts', { country })));
  expect(results.map((result) => (answerOf(result) as { count: number }).count)).toEqual(
    countries.map((country) => (country === 'DE' ? 1000 : 500)),
  );
});

test('chance is not that of the snapshot', async () => {
  const first = answerOf(await call('drawn'));
  const other = await startWorker(join(out, 'built'));
  const drawn = await callerOf(() => reachOf(other))('drawn');
  await other.close();
  expect(answerOf(drawn)).not.toEqual(first);
});

test('the Python Worker has no address, and its files are within the limits', async () => {
  const config = await readFile(join(out, 'built/python/wrangler.toml'), 'utf8');
  expect(config).toContain('workers_dev = false');
  for (const file of ['assets/snapshot.bin.gz', 'assets/python_stdlib.zip', 'pyodide.asm.wasm']) {
    expect((await readFile(join(out, 'built/python', file))).length).toBeLessThan(25 * 1_048_576);
  }
});

test('without the flag the build refuses, and names it', async () => {
  const building = buildTarget({
    root,
    public: true,
    target: 'cloudflare-workers',
    out: join(out, 'refused'),
  });
  await expect(building).rejects.toMatchObject({
    code: 'target_unsupported',
    message: expect.stringContaining('--experimental-python'),
  });
});
