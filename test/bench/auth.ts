import { openJwe } from '../../adapters/node/auth/open-jwe.ts';
import { call, createDesk, TOOLS, tokens } from '../unit/auth/fixture.ts';
import { createMemoryStore } from '../unit/auth/memory-store.ts';
import { createFakeRuntime, createTestApp, modern } from '../unit/mcp/fixture.ts';
import type { Row } from './measure.ts';

type Run = () => Promise<unknown>;

const ROUNDS = 25;
const WARM = 20;
const CALLS = 80;
const BUDGET_US = 300;

/** What the token of a call costs, by processor time in this process: the same tool, asked openly and with a bearer token. */
export async function measureAuth(): Promise<readonly Row[]> {
  const runs = {
    open: openCall(),
    opener: await signedCall({ openJwe }),
    store: await signedCall({ openJwe, store: createMemoryStore(Date.now) }),
    jose: await signedCall({}),
  };
  const best = await bestOf(runs);
  const row = (what: string, name: keyof typeof runs, budget: number | null = BUDGET_US): Row => ({
    what,
    ours: best[name] - best.open,
    base: null,
    baseName: '',
    unit: 'us',
    budget,
  });
  return [
    row('CPU that a token adds to a call, on Node', 'opener'),
    row('the same, with a store', 'store'),
    // Workers decrypt in the thread that asks; only here is each decryption a trip to another one.
    row('the same, by WebCrypto on Node', 'jose', null),
  ];
}

function openCall(): Run {
  const app = createTestApp(createFakeRuntime(TOOLS), {});
  const { body, headers } = modern('tools/call', { name: 'nothing', arguments: {} });
  const init = {
    method: 'POST',
    headers: {
      host: 'localhost:8000',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  };
  return async () => (await app.fetch(new Request('http://localhost:8000/mcp', init))).text();
}

async function signedCall(parts: NonNullable<Parameters<typeof createDesk>[0]>['parts']): Promise<Run> {
  const desk = createDesk({ ...(parts === undefined ? {} : { parts }) });
  const { access_token } = await tokens(desk);
  return async () => {
    const response = await call(desk, access_token);
    if (response.status !== 200) throw new Error(`the call with a token gave ${response.status}`);
    desk.lines.length = 0;
    return response.text();
  };
}

/** Microseconds of a call; in turn, the best round of each. */
async function bestOf<Name extends string>(runs: Record<Name, Run>): Promise<Record<Name, number>> {
  const names = Object.keys(runs) as Name[];
  const best = Object.fromEntries(names.map((name) => [name, Number.POSITIVE_INFINITY])) as Record<
    Name,
    number
  >;
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of names) {
      for (let turn = 0; turn < WARM; turn += 1) await runs[name]();
      const before = process.cpuUsage();
      for (let turn = 0; turn < CALLS; turn += 1) await runs[name]();
      const { user, system } = process.cpuUsage(before);
      best[name] = Math.min(best[name], (user + system) / CALLS);
    }
  }
  return best;
}
