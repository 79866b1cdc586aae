import { expect, it } from 'vitest';
import { KINDS, MEMORY_MB } from '../../../soak/project.ts';
import { toReport } from '../../../soak/report.ts';
import { soak } from '../../../soak/soak.ts';
import { PYTHON } from '../../adapters/python/found.ts';

/* `npm run soak -- 60m` runs the same for an hour. */

const SECONDS = Number(process.env.SVC_TEST_MIXED_SECONDS ?? 15);
const SEED = 18;
/** The engine's process ends at this much above its limit (docs/reference/engines.md), and is measured a moment later. */
const OVERHEAD_MB = 512 + 256;

// Requirements: own.soak
it.skipIf(PYTHON === null || process.platform !== 'linux')(
  'reloads, vanishing clients, killed engines and hostile SQL harm no call of anybody else',
  { timeout: SECONDS * 1_000 + 600_000 },
  async () => {
    const results = await soak({ ms: SECONDS * 1_000, seed: SEED, kinds: KINDS, python: true });
    process.stderr.write(`${toReport(results, { command: 'vitest', seed: SEED, pauseMs: 0 })}\n`);
    expect(results.flatMap(({ problems }) => problems)).toEqual([]);
    for (const { faults, outcomes } of results) {
      expect(faults.get('runaway SQL')?.count).toBeGreaterThan(0);
      expect(outcomes.right).toBeGreaterThan(0);
      expect(outcomes.blocked).toBeGreaterThan(0);
    }
    const [readWrite] = results;
    expect(readWrite?.faults.get('engine killed')?.count).toBeGreaterThan(0);
    expect(readWrite?.written.acknowledged).toBeGreaterThan(0);
    const below = readWrite?.memory.map(({ mostBelow }) => mostBelow) ?? [];
    expect(Math.max(...below)).toBeLessThan(MEMORY_MB + OVERHEAD_MB);
  },
);
