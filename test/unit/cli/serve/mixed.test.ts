import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { listAuditFiles } from '../../../../adapters/audit/audit-files.ts';
import { runScript } from '../../../../adapters/duckdb-native/files/script.ts';
import { PYTHON } from '../../adapters/python/found.ts';
import { folder, Svc } from '../svc.ts';

/* `SVC_TEST_MIXED_SECONDS=600` runs this for ten minutes. */

const SECONDS = Number(process.env.SVC_TEST_MIXED_SECONDS ?? 15);
/** The deadline of a statement or a function, and a margin for the answer's way. */
const DEADLINE_MS = 30_000 + 5_000;
const MEMORY_MB = 256;
/** The engine's process ends at this much above its limit (docs/reference/engines.md), and is measured a moment later. */
const OVERHEAD_MB = 512 + 256;

const HOSTILE = [
  "SELECT reservoir_quantile(3::TINYINT, 'nan'::DOUBLE) FROM range(3)",
  "SELECT repeat('x', 4000000000)",
  "SELECT levenshtein(repeat('a', 3000000), repeat('b', 3000000))",
];

const ID = 'parameters: [{ name: id, type: integer }]';
const FILES: { readonly [path: string]: string } = {
  'svc-site.yml': `svc: 1
project: demo
profile: default
sql_tools: { enabled: true }
profiles:
  default:
    database: { path: data/rows.db, memory_limit: ${MEMORY_MB}MB }
    audit: { enabled: true, path: log.jsonl }
`,
  'tools/read.yml': `svc: 1\ntool:\n  name: read\n  ${ID}\n  source: { code: "SELECT $id AS id, count(*) AS n FROM rows" }\n`,
  'tools/add.yml': `svc: 1\ntool:\n  name: add\n  ${ID}\n  source: { code: "INSERT INTO rows VALUES ($id) RETURNING id" }\n`,
  'tools/work.yml': `svc: 1\ntool:\n  name: work\n  ${ID}\n  return: { type: integer }\n  source: { file: work.py }\n`,
  'tools/work.py':
    'from svc.runtime import db\n\ndef work(id: int) -> int:\n    return db.execute("SELECT $id::INTEGER AS id", {"id": id})[0]["id"]\n',
};

/** The calls of callers who harm nobody, each with an id that the record shows. */
const CALLS: readonly ((id: number) => readonly [name: string, args: object])[] = [
  (id) => ['read', { id }],
  (id) => ['add', { id }],
  (id) => ['work', { id }],
  (id) => ['execute_sql_query', { sql: `SELECT ${id} AS id` }],
];

async function start() {
  const root = folder();
  for (const path of ['tools', 'data']) mkdirSync(join(root, path));
  for (const [path, text] of Object.entries(FILES)) writeFileSync(join(root, path), text);
  await runScript(join(root, 'data/rows.db'), 'CREATE TABLE rows (id BIGINT PRIMARY KEY)');
  const socket = join(root, 'admin.sock');
  const env = { SVC_ADMIN_ENABLED: 'true', SVC_ADMIN_SOCKET: socket };
  const server = new Svc(['serve', '--port', '0', '--json'], { cwd: root, env });
  const { url } = JSON.parse((await server.until(/^\{.*\}$/m))[0]);
  const call = async (name: string, args: object, signal = AbortSignal.timeout(300_000)) => {
    const response = await fetch(url, {
      method: 'POST',
      signal,
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args },
      }),
    });
    const text = await response.text();
    return JSON.parse(text.startsWith('{') ? text : text.replace(/^[\s\S]*?data: /, '')).result;
  };
  const admin = (method: string, path: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<{
      reload?: { in_progress: boolean; last_reload_status: string };
    }>();
    const sent = request({ socketPath: socket, method, path, headers: { host: 'localhost' } }, (response) => {
      response.setEncoding('utf8');
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve(JSON.parse(text)));
    });
    sent.on('error', reject).end();
    return promise;
  };
  return { root, server, call, admin };
}

/** A process and all that it has started. */
function familyOf(pid: number): readonly number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    return [pid, ...children.flatMap((child) => familyOf(Number(child)))];
  } catch {
    return [pid];
  }
}

/** Resident memory in megabytes; 0 for a process that has ended. */
function memoryOf(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

it.skipIf(PYTHON === null || process.platform !== 'linux')(
  'reloads, vanishing clients and hostile SQL harm no call of anybody else',
  { timeout: SECONDS * 1_000 + 300_000 },
  async () => {
    const { root, server, call, admin } = await start();
    const pid = server.child.pid ?? 0;
    let next = 0;
    const answered = new Map<number, string>();
    const wrong: unknown[] = [];
    let unknown = 0;
    let longest = 0;
    const use = async (kind: number): Promise<void> => {
      next += 1;
      const id = next;
      const [name, args] = CALLS[kind % CALLS.length]?.(id) ?? ['', {}];
      const begun = performance.now();
      const result = await call(name, args).catch((thrown: unknown) => ({ isError: true, thrown }));
      longest = Math.max(longest, performance.now() - begun);
      if (name === 'add' && JSON.stringify(result).includes('may be there or not')) unknown += 1;
      else if (result?.isError) wrong.push({ name, result });
      answered.set(id, name);
    };
    const figures = () => ({
      processes: familyOf(pid).length,
      descriptors: readdirSync(`/proc/${pid}/fd`).length,
    });
    for (let kind = 0; kind < 16; kind += 1) await Promise.all([use(kind), use(kind)]);
    const before = figures();
    const end = performance.now() + SECONDS * 1_000;
    const until = async (work: (turn: number) => Promise<unknown>): Promise<number> => {
      let turn = 0;
      for (; performance.now() < end; turn += 1) await work(turn);
      return turn;
    };
    const peak = { server: 0, engine: 0 };
    let reloads = 0;
    const all = Promise.all([
      ...Array.from({ length: 8 }, (_, kind) => until(() => use(kind))),
      until(async (turn) => {
        const vanish = AbortSignal.timeout(turn % 200);
        const [name, args] = CALLS[turn % CALLS.length]?.(-turn - 1) ?? ['', {}];
        await call(name, args, vanish).catch(() => {});
      }),
      until(async () => {
        await admin('POST', '/reload');
        await wait(1_000);
        let { reload } = await admin('GET', '/status');
        while (reload?.in_progress) {
          await wait(50);
          ({ reload } = await admin('GET', '/status'));
        }
        if (reload?.last_reload_status !== 'success') wrong.push(reload);
        reloads += 1;
      }),
      until(async () => {
        const [own = 0, ...others] = familyOf(pid).map(memoryOf);
        peak.server = Math.max(peak.server, own);
        peak.engine = Math.max(peak.engine, ...others);
        await wait(50);
      }),
    ]);
    const hostile = Promise.all(
      [0, 1].map((first) =>
        until(async (turn) => {
          const result = await call('execute_sql_query', { sql: HOSTILE[(turn + first) % HOSTILE.length] });
          if (!result.isError) wrong.push({ name: 'a hostile statement', result });
        }),
      ),
    );
    await all;
    const attacks = (await hostile).reduce((sum, turns) => sum + turns, 0);
    await expect
      .poll(figures, { timeout: 60_000 })
      .toSatisfy(
        ({ processes, descriptors }) =>
          processes <= before.processes && descriptors <= before.descriptors + 8,
      );
    server.child.kill('SIGTERM');
    await server.ended;
    process.stderr.write(
      `${SECONDS} s: ${answered.size} calls, ${attacks} attacks, ${reloads} reloads; ${unknown} outcomes unknown; longest ${Math.round(longest)} ms; peak ${Math.round(peak.server)} MB server, ${Math.round(peak.engine)} MB engine\n`,
    );
    expect(wrong).toEqual([]);
    // The engine's process may end while a write commits if a statement crashes late (docs/reference/engines.md).
    expect(unknown).toBeLessThanOrEqual(1 + attacks / 100);
    expect(longest).toBeLessThan(DEADLINE_MS);
    expect(peak.engine).toBeLessThan(MEMORY_MB + OVERHEAD_MB);
    expect(Math.min(attacks, reloads)).toBeGreaterThan(0);
    const files = await listAuditFiles(join(root, 'log.jsonl'));
    const records = files.flatMap(({ path }) => readFileSync(path, 'utf8').trimEnd().split('\n'));
    const seen = new Map<number, number>();
    let attacked = 0;
    for (const { input_data: input } of records.map((line) => JSON.parse(line))) {
      if (HOSTILE.includes(input.sql)) attacked += 1;
      const id = Number(input.id ?? /^SELECT (\d+) AS id$/.exec(input.sql)?.[1]);
      if (id > 0) seen.set(id, (seen.get(id) ?? 0) + 1);
    }
    expect(attacked).toBe(attacks);
    expect([...answered.keys()].filter((id) => seen.get(id) !== 1)).toEqual([]);
    expect(seen.size).toBe(answered.size);
  },
);
