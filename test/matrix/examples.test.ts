import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createFromSeed } from '../../adapters/node/database/seed.ts';
import { buildTarget } from '../../deploy/build.ts';
import { PLATFORMS } from './platforms.ts';
import { rawCall } from './raw.ts';

// builds, and programs that start, on machines with little to spare
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

interface Asked {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly answer: unknown;
}

/** What a newcomer calls first, and what must come back wherever the example runs. */
const EXAMPLES: Readonly<Record<string, readonly [database: string, asked: Asked]>> = {
  'sales-analytics': [
    'data/sales.db',
    {
      tool: 'revenue_by_month',
      args: { from: '2024-01-01', to: '2024-02-29', country: 'DE' },
      answer: [
        { month: '2024-01', orders: expect.any(Number), revenue: expect.any(Number), change: null },
        {
          month: '2024-02',
          orders: expect.any(Number),
          revenue: expect.any(Number),
          change: expect.any(Number),
        },
      ],
    },
  ],
  lake: [
    'data/sales.db',
    {
      tool: 'revenue_by_month',
      args: { from: '2025-01-01', to: '2025-01-31', region: 'north' },
      answer: [{ month: '2025-01', sales: 45, revenue: 1224 }],
    },
  ],
  'github-rows': ['data/work.db', { tool: 'my_tickets', args: {}, answer: [] }],
  'python-analysis': [
    'data/measurements.db',
    {
      tool: 'find_outliers',
      args: { sensor: 'warehouse' },
      answer: [{ measured_at: '2026-03-21T14:00:00', value: -40, score: expect.any(Number) }],
    },
  ],
  'public-data': [
    'data/planets.db',
    {
      tool: 'search_moons',
      args: { wider_than_km: 5200 },
      answer: [{ name: 'Ganymede', planet: 'Jupiter', diameter_km: 5268 }],
    },
  ],
};

const WHERE = PLATFORMS.filter(({ name }) =>
  ['Node over a socket', 'Lambda, Function URL, streaming', 'workerd'].includes(name),
);

let work: string;
beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'svc-examples-'));
});
afterAll(() => rm(work, { recursive: true }));

describe.each(Object.entries(EXAMPLES))('examples/%s', (name, [database, { tool, args, answer }]) => {
  let root: string;
  beforeAll(async () => {
    root = join(work, name);
    const made = /[\\/](?:data|build|audit)$/;
    await cp(join('examples', name), root, { recursive: true, filter: (path) => !made.test(path) });
    await createFromSeed(root, join(root, database));
  });

  test.each(WHERE)('answers on: $name', async ({ target, start }) => {
    const out = join(work, `${name}-${target}`);
    await buildTarget({ root, public: true, target, out, experimentalPython: name === 'python-analysis' });
    const { reach, close } = await start(out);
    const { result } = JSON.parse(await rawCall(reach, tool, args));
    await close();
    expect(result.structuredContent).toEqual(answer);
  });
});
