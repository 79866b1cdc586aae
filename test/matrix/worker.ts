import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadWrangler } from '../wrangler.ts';

/** A built Worker in workerd. */
export interface RunningWorker {
  readonly url: URL;
  /** Everything that the Worker wrote to the console. */
  log(): readonly string[];
  close(): Promise<void>;
}

/** Runs a built Worker as wrangler would deploy it; nothing leaves this machine. */
export async function startWorker(
  folder: string,
  secrets: Record<string, string> = {},
): Promise<RunningWorker> {
  process.env.WRANGLER_SEND_METRICS = 'false';
  process.env.WRANGLER_LOG = 'error';
  process.env.CLOUDFLARE_CF_FETCH_ENABLED = 'false';
  const { createTestHarness } = await loadWrangler();
  const second = join(folder, 'python/wrangler.toml');
  const harness = createTestHarness({
    workers: [
      { configPath: join(folder, 'wrangler.toml'), secrets },
      ...(existsSync(second) ? [{ configPath: second }] : []),
    ],
  });
  const { url } = await harness.listen();
  const log = () => harness.getLogs().map(({ message }) => message);
  return { url, log, close: () => harness.close() };
}
