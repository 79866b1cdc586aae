import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Leases } from '../../../../../adapters/node/reload/leases.ts';
import { createServeReloader, type ServedGeneration } from '../../../../../cli/serve/reload.ts';
import { type Runtime, withLease } from '../../../../../src/call/runtime.ts';
import { SvcError } from '../../../../../src/errors.ts';
import type { Database, Python } from '../../../../../src/ports.ts';
import type { Settings } from '../../../../../src/settings/model.ts';
import { seedOfPart } from '../../../../seed-of-part.ts';
import { createFakeRuntime } from '../../../mcp/fixture.ts';

/* `SVC_TEST_HISTORY_STEPS=100000 SVC_TEST_HISTORY_SEED=7` makes it longer, and other. */

const STEPS = Number(process.env.SVC_TEST_HISTORY_STEPS ?? 20_000);
const SEED = Number(process.env.SVC_TEST_HISTORY_SEED ?? 20_261_123);

/** What can go wrong with a reload, or with the parts that it opens. */
type Fault = 'none' | 'settings' | 'database' | 'python' | 'closing';

type Step =
  | { readonly kind: 'call'; readonly statements: number; readonly nested: boolean; readonly python: boolean }
  | { readonly kind: 'go'; readonly choices: readonly number[] }
  | { readonly kind: 'change' }
  | { readonly kind: 'reload'; readonly fault: Fault };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('call' as const),
      statements: fc.nat({ max: 4 }),
      nested: fc.boolean(),
      python: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('go' as const),
      choices: fc.array(fc.nat({ max: 20 }), { maxLength: 6 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('change' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('reload' as const),
      fault: fc.constantFrom<Fault>('none', 'none', 'settings', 'database', 'python', 'closing'),
    }),
  },
);

/** The parts of one load: they know what was in the files then. */
interface Parts {
  readonly content: number;
  uses: number;
  closed: number;
}

/** Everything waits here until the history lets it go. */
function createTurnstile() {
  const waiting: (() => void)[] = [];
  return {
    pass: () => new Promise<void>((resolve) => waiting.push(resolve)),
    go: async (choice: number) => {
      if (waiting.length > 0) waiting.splice(choice % waiting.length, 1)[0]?.();
      await calm();
    },
    get length() {
      return waiting.length;
    },
  };
}

const calm = () => new Promise((resolve) => setImmediate(resolve));

type Leased = Parameters<typeof createServeReloader>[0]['leases'];

async function play(
  steps: readonly Step[],
  counts: Record<string, number>,
  take?: (leases: Leased) => Runtime['lease'],
) {
  const turnstile = createTurnstile();
  const all: Parts[] = [];
  const broken: unknown[] = [];
  const running: Promise<void>[] = [];
  const faults: Fault[] = [];
  let [content, fault, asked]: [number, Fault, number] = [0, 'none', 0];
  const count = (name: string) => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  const use = async (parts: Parts): Promise<number> => {
    parts.uses += 1;
    await turnstile.pass();
    parts.uses -= 1;
    if (parts.closed > 0) throw new Error(`a request used parts ${parts.content} that were closed`);
    return parts.content;
  };
  const open = (settings: Settings): ServedGeneration => {
    const own: Parts = { content: (settings as unknown as Parts).content, uses: 0, closed: 0 };
    const wrong = fault;
    all.push(own);
    const run = async () => ({ columns: [], rows: [{ content: await use(own) }], truncated: false });
    const opened = { run } as unknown as Database;
    const start = async () => {
      await turnstile.pass();
      if (wrong === 'python') throw new SvcError('python_failed', 'Python does not start');
    };
    const python = { start, run: () => use(own) } as unknown as Python;
    return {
      settings,
      opened,
      database: async () => opened,
      python: async () => python,
      usesPython: () => true,
      endPython: async () => undefined,
      close: async () => {
        own.closed += 1;
        if (own.uses > 0) broken.push(new Error(`parts ${own.content} were closed under a request`));
        await turnstile.pass();
        if (wrong === 'closing') throw new SvcError('internal', 'it is stuck');
      },
    };
  };
  const settingsNow = () => ({ content }) as unknown as Settings;
  const leases = new Leases<ServedGeneration>(open(settingsNow()), () => undefined);
  let served = 0;
  const reloader = createServeReloader({
    leases,
    log: () => undefined,
    loadSettings: async () => {
      fault = faults.shift() ?? 'none';
      const settings = settingsNow();
      await turnstile.pass();
      if (fault === 'settings') throw new SvcError('reference_unresolved', 'KEY is not set');
      return settings;
    },
    open: async (settings) => {
      await turnstile.pass();
      if (fault === 'database') throw new SvcError('database_unavailable', 'There is no file');
      return open(settings);
    },
    pythonFiles: [],
    stopping: new AbortController().signal,
    onExchange: (settings) => {
      served = (settings as unknown as Parts).content;
    },
  });
  const runtime: Runtime = { ...createFakeRuntime([]), lease: take?.(leases) ?? leases.take };
  const call = async ({ statements, nested, python }: Extract<Step, { kind: 'call' }>) => {
    const { signal } = new AbortController();
    const atStart = served;
    const seen = new Set<number>();
    const work = async (leased: Runtime): Promise<void> => {
      for (let index = 0; index <= statements; index += 1) {
        const { rows } = await (await leased.database()).run({} as never, {} as never);
        seen.add(Number(rows[0]?.content));
      }
      if (!python || leased.python === undefined) return;
      const opened = (await leased.python()) as unknown as { run(): Promise<number> };
      seen.add(await opened.run());
    };
    await withLease(runtime, signal, async (leased) => {
      await work(leased);
      // A resource in a prompt is a call inside a call.
      if (nested) await withLease(leased, signal, work);
    });
    if (seen.size !== 1) throw new Error(`an answer mixes ${[...seen]}`);
    if (!seen.has(atStart))
      throw new Error(`a request that began on ${atStart} was answered from ${[...seen]}`);
    count('answered');
  };
  const begin = (work: Promise<void>) => running.push(work.catch((thrown) => void broken.push(thrown)));
  for (const one of steps) {
    if (one.kind === 'call') begin(call(one));
    else if (one.kind === 'change') content += 1;
    else if (one.kind === 'go') for (const choice of one.choices) await turnstile.go(choice);
    else {
      faults.push(one.fault);
      asked += 1;
      const before = { served };
      const { done } = reloader.request();
      begin(done.then(() => count(served === before.served ? 'reload without change' : 'reloaded')));
    }
    await calm();
    if (broken.length > 0) throw broken[0];
  }
  const closing = (async () => {
    await Promise.all(running);
    // The newest parts may be the ones that cannot be closed.
    await leases.close().catch(() => count('not closed'));
  })();
  let over = false;
  void closing.finally(() => {
    over = true;
  });
  for (let left = 10_000; !over && left > 0; left -= 1) await turnstile.go(0);
  await closing;
  if (broken.length > 0) throw broken[0];
  count(asked > 0 ? 'with reloads' : 'without reloads');
  expect(all.map(({ closed }) => closed)).toEqual(all.map(() => 1));
}

async function playAll(steps: number, take?: (leases: Leased) => Runtime['lease']) {
  const report = { histories: 0, steps: 0, counts: {} as Record<string, number> };
  for (let batch = 0; report.steps < steps; batch += 1) {
    const histories = fc.array(step, { minLength: 1, maxLength: 80, size: 'max' });
    const property = fc.asyncProperty(histories, async (history) => {
      report.histories += 1;
      report.steps += history.length;
      await play(history, report.counts, take);
    });
    await fc.assert(property, { seed: seedOfPart(SEED, batch), numRuns: 50 });
  }
  return report;
}

describe('histories of calls, reloads and changed files', () => {
  // Requirements: reload.histories
  it(`mix no runtimes in an answer (${STEPS} steps, seed ${SEED})`, { timeout: 7_200_000 }, async () => {
    const { histories, steps, counts } = await playAll(STEPS);
    process.stderr.write(
      `seed ${SEED}: ${steps} steps in ${histories} histories; ${JSON.stringify(counts)}\n`,
    );
    expect(Object.keys(counts)).toEqual(
      expect.arrayContaining(['answered', 'reloaded', 'reload without change']),
    );
  });

  it('find parts that are taken anew at each use', { timeout: 600_000 }, async () => {
    const mixing =
      (leases: Leased): Runtime['lease'] =>
      () => {
        const lease = leases.take();
        const parts = {
          database: () => leases.current.database(),
          python: () => leases.current.python(),
        };
        return { ...lease, parts };
      };
    await expect(playAll(20_000, mixing)).rejects.toThrow(/Counterexample/);
  });

  it('find parts that close before their last request', { timeout: 600_000 }, async () => {
    const early =
      (leases: Leased): Runtime['lease'] =>
      () => {
        const lease = leases.take();
        lease.release();
        return lease;
      };
    await expect(playAll(20_000, early)).rejects.toThrow(/Counterexample/);
  });
});
