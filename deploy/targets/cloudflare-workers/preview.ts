import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { SvcError } from '../../../src/errors.ts';
import { type Preview, type PreviewOptions, startChild } from '../../preview/process.ts';
import { fillLocalBucket } from './local-bucket.ts';

/** Keeps wrangler from sending metrics and from asking questions. */
const QUIET = {
  WRANGLER_SEND_METRICS: 'false',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  NO_UPDATE_NOTIFIER: '1',
};

/** Runs `wrangler dev` in the folder: local workerd, with the variables of `.dev.vars`. */
export async function previewWorker({
  folder,
  port,
  root,
  env,
  onLine,
  stop,
}: PreviewOptions): Promise<Preview> {
  // Python endpoints have a Worker of their own beside it
  const configs = ['wrangler.toml', 'python/wrangler.toml'].filter((file) => existsSync(join(folder, file)));
  const named = configs.flatMap((file) => ['-c', file]);
  const args = [
    'dev',
    ...named,
    '--ip',
    '127.0.0.1',
    '--port',
    String(port),
    // Only this machine reaches it.
    '--var',
    'SVC_PUBLIC:true',
    '--show-interactive-dev-session=false',
  ];
  const wrangler = findWrangler(root);
  await fillLocalBucket(folder, wrangler);
  const { url, ...running } = await startChild({
    args: [wrangler, ...args],
    cwd: folder,
    env: { ...env, ...QUIET },
    onLine,
    stop,
    urlIn: (line) => /Ready on (http:\S+)/.exec(line)?.[1] ?? null,
  });
  return { ...running, url: new URL('mcp', url).href };
}

/** The project's own wrangler, or the one beside this package. */
function findWrangler(root: string): string {
  for (const from of [join(root, 'package.json'), import.meta.url]) {
    const script = scriptFrom(from);
    if (script !== null) return script;
  }
  throw new SvcError(
    'target_unsupported',
    'Workers run in wrangler, which is not installed. Run `npm install --save-dev wrangler` in the project, and try again.',
  );
}

function scriptFrom(from: string): string | null {
  try {
    const script = join(dirname(createRequire(from).resolve('wrangler/package.json')), 'bin/wrangler.js');
    return existsSync(script) ? script : null;
  } catch {
    return null;
  }
}
