import { parentPort, workerData } from 'node:worker_threads';
import { compilePyodide, loadParts } from '../python-pyodide/files.ts';
import { connectStreams, type HostModules } from '../python-pyodide/interpreter.ts';
import { openSuspending } from './interpreter.ts';
import { keyOf, recordModules } from './tiny-modules.ts';

/* A thread that starts an interpreter like workerd does, and records the modules that Pyodide compiles meanwhile. */

const setup: { pyodide: string; snapshot: Uint8Array; modules: HostModules } = workerData;
const folder = new URL(setup.pyodide);
const found = new Map<string, Uint8Array>();
const wasm = await compilePyodide(folder);
recordModules((bytes) => found.set(keyOf(bytes), Uint8Array.from(bytes)));
const parts = await loadParts(folder, wasm);
const { python, handle } = await openSuspending(parts, { ...setup, memoryMb: 128 });
connectStreams(python, () => {});
python.FS.mkdirTree('/project/python');
python.FS.writeFile('/project/python/a.py', REHEARSAL());
const messages = [
  { op: 'start', root: '/project', folder: 'python', follow: false },
  { op: 'load', id: 1, file: 'python/a.py' },
  ...['plain', 'asks', 'later', 'raises', 'many'].map((name) => ({
    op: 'call',
    id: 2,
    file: 'python/a.py',
    name,
    args: {},
    kinds: {},
    user: null,
    maxRows: 10_000,
    maxBytes: 1_000_000,
  })),
];
for (const message of messages) await handle(JSON.stringify(message), async () => '{"value":[{"n":1}]}');
parentPort?.postMessage([...found.values()]);

/** Returns Python code that uses all features of functions once. */
function REHEARSAL(): string {
  return `
import asyncio, csv, datetime, decimal, hashlib, io, json, random, re, sqlite3, statistics, time, uuid, zoneinfo, ctypes, urllib.request
from svc.runtime import db
def plain(): return [1, 2.5, decimal.Decimal("1"), datetime.date(2024, 1, 1), uuid.uuid4(), statistics.mean([1, 2])]
def asks(): time.sleep(0); return db.execute("SELECT 1") + db.execute("SELECT 1")
async def later():
    await asyncio.sleep(0.001)
    return await asyncio.gather(*[asyncio.sleep(0, n) for n in range(3)])
def raises(): return {}["x"]
def many(): return [json.loads(json.dumps(re.findall("a", "aa"))), hashlib.sha256(b"x").hexdigest(), random.random(), sorted([3, 1], key=lambda n: -n), sqlite3.connect(":memory:").execute("select 1").fetchall()]
`;
}
