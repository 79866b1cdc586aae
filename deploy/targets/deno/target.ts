import { createRequire } from 'node:module';
import { join } from 'node:path';
import { SvcError } from '../../../src/errors.ts';
import { type Preview, type PreviewOptions, startChild } from '../../preview/process.ts';
import type { BuildTarget, ProjectFacts } from '../target.ts';

/** The permissions of the program: it writes no file and starts no program. */
const RUN = ['run', '--allow-env', '--allow-net', '--allow-read=.', 'index.js'];

/** A folder that Deno runs: on a machine of your own, or on Deno Deploy. */
export const target: BuildTarget = {
  runtime: 'node',
  bundles: { 'index.js': 'deno/entry' },
  nativeBundles: {},
  database: 'data.duckdb',
  files: (facts) => ({
    'deno.json': `${JSON.stringify({ tasks: { start: `deno ${RUN.join(' ')}` } }, null, 2)}\n`,
    'README.md': readme(facts),
  }),
  python: { bundles: {}, files: async () => ({}) },
  finish: async () => {},
  next: 'deno task start',
  // Only this machine reaches it.
  preview: (options) => startDeno({ ...options, env: { ...options.env, SVC_PUBLIC: 'true' } }),
};

function readme({ project, callers }: ProjectFacts): string {
  return `# ${project} on Deno

Callers: ${callers}.

Run it with \`deno task start\` in this folder; \`PORT\` and \`HOST\` choose the address. It may read this folder, the variables and the network, and nothing else. On Deno Deploy, \`index.js\` is the entrypoint.

Calls are answered in one thread, and a long statement lets other calls run between its slices.

\`GET /health\` reports that the server runs, \`GET /ready\` that it accepts calls. \`svc preview --target deno\` runs it on your machine. Contents: \`sbom.cdx.json\`, \`THIRD-PARTY-LICENSES.txt\`.
`;
}

/** Runs the artefact with the npm package `deno` of the project or beside this one, or with the machine's own Deno. */
export async function startDeno({ folder, port, root, env, onLine, stop }: PreviewOptions): Promise<Preview> {
  try {
    return await startChild({
      command: denoOf([join(root, 'package.json'), import.meta.url]) ?? 'deno',
      args: RUN,
      cwd: folder,
      env: { ...env, HOST: '127.0.0.1', PORT: String(port), DENO_NO_UPDATE_CHECK: '1' },
      onLine,
      stop,
      urlIn: (line) => /"message":"serving","url":"([^"]+)"/.exec(line)?.[1] ?? null,
    });
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')) throw cause;
    throw new SvcError(
      'target_unsupported',
      'The artefact runs in Deno, which is not installed. Run `npm install --save-dev deno` in the project, and try again.',
      { cause },
    );
  }
}

/**
 * The program of the first npm package `deno` that is found; null if there is none. The package's own script would not
 * pass signals on.
 */
function denoOf(places: readonly string[]): string | null {
  for (const place of places) {
    const require = createRequire(place);
    try {
      const { runInstall }: { runInstall(): string } = require('deno/install_api.cjs');
      return runInstall();
    } catch {
      // The next place may have it.
    }
  }
  return null;
}
