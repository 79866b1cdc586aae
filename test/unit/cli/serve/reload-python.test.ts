import { expect, it, onTestFinished, vi } from 'vitest';
import { Leases } from '../../../../adapters/node/reload/leases.ts';
import { createServeReloader, type ServedGeneration } from '../../../../cli/serve/reload.ts';
import type { Python } from '../../../../src/ports.ts';

type Warm = NonNullable<Python['warm']>;

/** A reloader of a server that uses Python, and the steps of its reloads. */
function createReloading(warm: Warm, loadMs = 1_000_000) {
  const steps: string[] = [];
  const generation = (name: string): ServedGeneration => {
    const start = async () => void steps.push(`${name} starts`);
    const database = {} as ServedGeneration['opened'];
    return {
      settings: {} as ServedGeneration['settings'],
      opened: database,
      database: async () => database,
      python: async () => ({ start, warm }) as unknown as Python,
      usesPython: () => true,
      endPython: async () => {},
      close: async () => void steps.push(`${name} closes`),
    };
  };
  const stopping = new AbortController();
  const reloader = createServeReloader({
    leases: new Leases(generation('old'), () => {}),
    loadSettings: async () => ({}) as ServedGeneration['settings'],
    open: async () => generation('new'),
    pythonFiles: ['tools/a.py'],
    onExchange: () => void steps.push('exchange'),
    stopping: stopping.signal,
    log: () => {},
    loadMs,
  });
  return { reloader, steps, stopping };
}

/** A load that ends when its signal aborts; `began` resolves when it has begun. */
function createEndless(): { readonly warm: Warm; readonly began: Promise<void> } {
  const began = Promise.withResolvers<void>();
  const warm: Warm = (_files, signal) => {
    began.resolve();
    return new Promise((resolve) => signal?.addEventListener('abort', () => resolve()));
  };
  return { warm, began: began.promise };
}

// Requirements: transition.reload
it('a reload loads the Python files before new calls begin on its parts', async () => {
  const { reloader, steps } = createReloading(async (files) => void steps.push(`new loads ${files}`));
  await reloader.request().done;
  expect(steps).toEqual(['new starts', 'new loads tools/a.py', 'old closes', 'exchange']);
});

it('a file that does not load makes no reload fail', async () => {
  const { reloader, steps } = createReloading(createEndless().warm, 1);
  await reloader.request().done;
  expect(reloader.status()).toMatchObject({ last_reload_status: 'success' });
  expect(steps).toContain('exchange');
});

it('a reload whose time is over loads nothing more, and the old parts stay', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { warm, began } = createEndless();
  const { reloader, steps } = createReloading(warm);
  const { done } = reloader.request();
  await began;
  vi.advanceTimersByTime(60_000);
  await done;
  expect(reloader.status()).toMatchObject({ last_reload_status: 'error' });
  await expect.poll(() => steps).toEqual(['new starts', 'new closes']);
});

it('a reload loads nothing more when the server stops', async () => {
  const { warm, began } = createEndless();
  const { reloader, steps, stopping } = createReloading(warm);
  const { done } = reloader.request();
  await began;
  stopping.abort();
  await done;
  expect(steps).toContain('exchange');
});
