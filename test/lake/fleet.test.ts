import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '../../src/ports.ts';
import { read, write } from '../engine/fixture.ts';
import { Svc } from '../unit/cli/svc.ts';
import { LAKE, type Lake, send, startLake } from './lake.ts';

/* Two stateless instances over one DuckLake that a third process changes, while the instances are killed at random. */

/** `SVC_TEST_FLEET_CALLS=10000 npm run test:lake` asks as often as the release notes say. */
const CALLS = Number(process.env.SVC_TEST_FLEET_CALLS ?? 600);
const CLIENTS = 8;
/** Rows that one transaction adds. */
const BATCH = 10;
const CALLS_PER_BATCH = 20;
const CALLS_PER_KILL = 120;
const LIMIT_MS = 120_000 + CALLS * 300;

const TOOL = `svc: 1
tool:
  name: totals
  description: The totals of the lake.
  parameters:
    - { name: least, type: integer, description: The first batch that counts. }
  source:
    code: >-
      SELECT max(batch) AS snapshot, count(*) AS sales, coalesce(sum(amount) FILTER (batch >= $least), 0)::BIGINT AS total
      FROM sales
`;

let lake: Lake;
let writer: Database;

beforeAll(async () => {
  lake = await startLake();
  writer = await lake.open({ ...LAKE, readonly: false });
  await write(writer, 'CREATE TABLE sales (batch INTEGER, amount INTEGER)');
}, 120_000);
afterAll(async () => {
  await writer?.close();
  await lake?.stop();
});

/** A server that may be killed. */
interface Instance {
  readonly server: Svc;
  readonly url: string;
  killed: boolean;
}

async function startInstance({ cwd, env }: ReturnType<Lake['project']>): Promise<Instance> {
  const args = ['serve', '--port', '0', '--stateless', '--json'];
  const server = new Svc(args, { cwd, env });
  const [line] = await server.until(/^\{.*\}$/m);
  return { server, url: JSON.parse(line).url, killed: false };
}

/** The sum of the amounts of all batches from one to another: each row has the number of its batch. */
function totalOf(least: number, snapshot: number): number {
  let total = 0;
  for (let batch = Math.max(0, least); batch <= snapshot; batch += 1) total += batch * BATCH;
  return total;
}

it(
  `${CALLS} calls get the answer of one snapshot, none an old one, and only those in flight fail`,
  async () => {
    const folder = lake.project(LAKE, { tools: { totals: TOOL } });
    const ready: Instance[] = [];
    const wrong: string[] = [];
    const count = { calls: 0, inFlight: 0, kills: 0 };
    let [begun, committed] = [-1, -1];
    let starting: Promise<void> = Promise.resolve();

    const append = async () => {
      begun += 1;
      await write(writer, `INSERT INTO sales SELECT ${begun}, ${begun} FROM range(${BATCH})`);
      committed = begun;
    };
    const start = async () => {
      ready.push(await startInstance(folder));
    };
    /** Kills one of two, so that one is left to answer. */
    const kill = () => {
      if (ready.length < 2) return;
      const [victim] = ready.splice(Math.floor(Math.random() * 2), 1);
      if (victim === undefined) return;
      victim.killed = true;
      victim.server.child.kill('SIGKILL');
      count.kills += 1;
      starting = start();
    };
    const ask = async (index: number) => {
      const instance = ready[index % ready.length];
      if (instance === undefined) throw new Error('no instance is ready');
      const [oldest, least] = [committed, Math.floor(Math.random() * (committed + 1))];
      const params = { name: 'totals', arguments: { least } };
      const answer = await send(instance.url, 'tools/call', params).catch((thrown) => String(thrown));
      const text = /"text":("(?:[^"\\]|\\.)*")/.exec(answer)?.[1];
      const isError = text === undefined || /"isError":true/.test(answer);
      if (isError && instance.killed) {
        count.inFlight += 1;
        return;
      }
      const [row] = isError ? [] : [JSON.parse(JSON.parse(text))].flat();
      const { snapshot, sales, total } = row ?? {};
      const right = sales === (snapshot + 1) * BATCH && Number(total) === totalOf(least, snapshot);
      if (!right || snapshot < oldest || snapshot > begun) wrong.push(`${oldest}, ${least}: ${answer}`);
    };
    await append();
    await Promise.all([start(), start()]);
    let writing = Promise.resolve();
    const client = async () => {
      while (count.calls < CALLS) {
        const index = count.calls;
        count.calls += 1;
        if (index % CALLS_PER_BATCH === 0) writing = writing.then(append);
        if (index % CALLS_PER_KILL === CALLS_PER_KILL - 1) kill();
        await ask(index);
      }
    };
    const since = performance.now();
    await Promise.all(Array.from({ length: CLIENTS }, client));
    const seconds = (performance.now() - since) / 1000;
    await Promise.all([writing, starting]);
    expect(wrong).toEqual([]);
    expect(count.kills).toBeGreaterThan(0);
    expect(count.inFlight).toBeLessThanOrEqual(count.kills * CLIENTS);
    const { rows } = await read(writer, 'SELECT count(*) AS n FROM sales');
    expect(rows).toEqual([{ n: (committed + 1) * BATCH }]);
    console.log(
      `${count.calls} calls in ${seconds.toFixed(0)} s, ${count.kills} kills, ${count.inFlight} calls in flight failed, ${committed + 1} commits`,
    );
  },
  LIMIT_MS,
);
