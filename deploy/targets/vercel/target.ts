import { copyFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { SvcError } from '../../../src/errors.ts';
import { sourceFile } from '../../bundle.ts';
import { type Preview, type PreviewOptions, startChild } from '../../preview/process.ts';
import { pythonFiles } from '../../python/pyodide-files.ts';
import {
  type BuildTarget,
  type BuiltFile,
  CONFIG_FILE,
  MATERIALS,
  type ProjectFacts,
  PYTHON_FOLDERS,
  toMiB,
} from '../target.ts';

/** Version 3 of Vercel's Build Output API: the function is the only thing that is deployed, and no file is public. */
const OUTPUT = '.vercel/output';
const FUNCTION = `${OUTPUT}/functions/index.func`;

/** The largest unpacked size that Vercel allows a function. */
const UNPACKED_LIMIT = 250 * 1_048_576;

/** The files and folders that the build writes to the root, and that only the function needs. */
const MOVED = ['duckdb.wasm', 'trampolines.wasm', 'LICENSE.duckdb.txt', ...PYTHON_FOLDERS];
/** The files that other commands read in the root too. */
const COPIED = ['manifest.json', CONFIG_FILE, MATERIALS.bom, MATERIALS.licenses];

/** A Node function of Vercel in a folder for `vercel deploy --prebuilt`. */
export const target: BuildTarget = {
  runtime: 'node',
  bundles: { [`${FUNCTION}/index.mjs`]: 'vercel/entry' },
  nativeBundles: {},
  database: `${FUNCTION}/data.duckdb`,
  files: (facts) => ({
    [`${OUTPUT}/config.json`]: json({ version: 3, routes: [{ src: '/.*', dest: '/index' }] }),
    [`${FUNCTION}/.vc-config.json`]: json({
      runtime: 'nodejs22.x',
      handler: 'index.mjs',
      launcherType: 'Nodejs',
      shouldAddHelpers: false,
      supportsResponseStreaming: true,
      supportsCancellation: true,
      memory: 1024,
      maxDuration: 60,
    }),
    'README.md': readme(facts),
  }),
  python: { bundles: { [`${FUNCTION}/python-worker.mjs`]: 'python-pyodide/worker' }, files: pythonFiles },
  finish: assemble,
  next: 'npx vercel deploy --prebuilt',
  // Only this machine reaches it.
  preview: (options) => startVercel({ ...options, env: { ...options.env, SVC_PUBLIC: 'true' } }),
};

const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;

/** Completes the folder of the function. */
async function assemble(folder: string, files: readonly BuiltFile[]): Promise<void> {
  const has = (name: string) => files.some(({ path }) => path === name || path.startsWith(`${name}/`));
  for (const name of MOVED.filter(has)) await rename(join(folder, name), join(folder, FUNCTION, name));
  for (const name of COPIED.filter(has)) await copyFile(join(folder, name), join(folder, FUNCTION, name));
  const unpacked = files.reduce((sum, { bytes }) => sum + bytes, 0);
  if (unpacked <= UNPACKED_LIMIT) return;
  throw new SvcError(
    'target_unsupported',
    `The function has ${toMiB(unpacked)}; Vercel allows ${toMiB(UNPACKED_LIMIT)}. Make the database smaller, or build with --target node and run it as a container.`,
  );
}

function readme({ project, callers }: ProjectFacts): string {
  return `# ${project} on Vercel

Callers: ${callers}.

Deploy it with \`npx vercel deploy --prebuilt\` in this folder, which has the form of Vercel's Build Output API. The next build keeps the link to your project in \`.vercel\`. Set variables and secrets with \`npx vercel env add NAME\`. \`svc preview --target vercel\` runs it on your machine, behind a stand-in for Vercel's Node launcher.

Clients connect to the address of the deployment with \`mcp\` added. Contents: \`sbom.cdx.json\`, \`THIRD-PARTY-LICENSES.txt\`.
`;
}

/** Runs the function behind a stand-in for Vercel's Node launcher. */
export function startVercel({
  folder,
  port,
  env,
  onLine,
  stop,
}: Omit<PreviewOptions, 'root'>): Promise<Preview> {
  return startChild({
    args: [sourceFile('deploy/targets/vercel/launcher'), join(folder, FUNCTION), String(port)],
    cwd: folder,
    env: { ...env, VERCEL: '1' },
    onLine,
    stop,
    urlIn: (line) => /^listening on (\S+)$/.exec(line)?.[1] ?? null,
  });
}
