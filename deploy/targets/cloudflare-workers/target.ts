import { MAX_RANGES } from '../../../adapters/cloudflare-workers/limits.ts';
import { DEFAULT_MEMORY_MB } from '../../../adapters/duckdb-wasm/default-memory.ts';
import { SvcError } from '../../../src/errors.ts';
import {
  BLOCKS_FOLDER,
  type BuildTarget,
  type BuiltFile,
  CONFIG_FILE,
  type ProjectFacts,
  toMiB,
  UPLOADED_DATABASE,
} from '../target.ts';
import { ASSET_LIMIT, remoteReadme, uploadCommand } from './bucket.ts';
import { previewWorker } from './preview.ts';
import { pythonWorkerFiles } from './python-worker.ts';
import { keepDatabases, wranglerToml } from './wrangler.ts';

/** The most static assets of a Worker on each of Cloudflare's plans. */
const MOST_BLOCKS = 20_000;
/** Our limit for the uploaded modules, in bytes; it is below every limit that Cloudflare names. */
const UPLOAD_LIMIT = 30 * 1_048_576;

/** Memory of one isolate, in bytes. */
const ISOLATE = 128 * 1_048_576;
/** The part of it that we keep free for requests. */
const FOR_REQUESTS = 16 * 1_048_576;
/** The most that the engine takes; its memory has a fixed maximum. */
const ENGINE_MEMORY = DEFAULT_MEMORY_MB * 1_048_576;
/** JavaScript heap after a garbage collection, measured without the manifest. */
const HEAP = 9 * 1_048_576;
/** Kept blocks of a database that is read by ranges, and the blocks in flight. */
const BLOCKS = 14 * 1_048_576;
/** Memory per byte of the manifest: its text, the parsed value and the compiled form. */
const MANIFEST_TIMES = 4;

const MODULES = ['duckdb.wasm', 'index.js', 'manifest.json', 'trampolines.wasm', CONFIG_FILE];
const DATABASE = 'assets/data.duckdb';

/** A module Worker; its database is a static asset. */
export const target: BuildTarget = {
  runtime: 'workerd',
  bundles: { 'index.js': 'cloudflare-workers/entry' },
  nativeBundles: {},
  database: DATABASE,
  files: (facts) => ({
    'wrangler.toml': wranglerToml(facts),
    'README.md': readme(facts) + remoteReadme(facts) + (facts.python ? PYTHON_README : ''),
  }),
  keep: keepDatabases,
  python: {
    bundles: {},
    files: pythonWorkerFiles,
    next: 'npx wrangler deploy -c python/wrangler.toml && npx wrangler deploy',
  },
  remote: { stores: ['r2', 'assets'], above: ASSET_LIMIT, mostRanges: MAX_RANGES, upload: uploadCommand },
  finish: async (_folder, files) => checkLimits(files),
  next: 'npx wrangler deploy',
  preview: previewWorker,
};

function checkLimits(files: readonly BuiltFile[]): void {
  const blocks = files.filter(({ path }) => path.startsWith(`${BLOCKS_FOLDER}/`)).length;
  if (blocks > MOST_BLOCKS) throw tooManyBlocks(blocks);
  const remote = blocks > 0 || sizeOf(files, [UPLOADED_DATABASE]) > 0;
  const database = remote ? BLOCKS : sizeOf(files, [DATABASE]);
  if (database > ASSET_LIMIT) throw databaseTooLarge(database);
  const upload = sizeOf(files, MODULES);
  if (upload > UPLOAD_LIMIT) throw uploadTooLarge(upload);
  const memory = ENGINE_MEMORY + HEAP + database + MANIFEST_TIMES * sizeOf(files, ['manifest.json']);
  if (memory > ISOLATE - FOR_REQUESTS) throw memoryTooSmall(memory);
}

function sizeOf(files: readonly BuiltFile[], paths: readonly string[]): number {
  return files.filter((file) => paths.includes(file.path)).reduce((sum, file) => sum + file.bytes, 0);
}

const PYTHON_README = `
The Python endpoints are in a second Worker, in \`python/\`, which is experimental. Deploy it first: \`npx wrangler deploy -c python/wrangler.toml && npx wrangler deploy\`. Try both: \`npx wrangler dev -c wrangler.toml -c python/wrangler.toml\`.
`;

function readme({ project, callers, remote }: ProjectFacts): string {
  const uploads = remote !== undefined && remote.store !== 'assets';
  const deploy = uploads
    ? 'Upload the database and deploy the Worker with the two commands below, in this folder.'
    : 'Deploy it with `npx wrangler deploy` in this folder.';
  return `# ${project} on Cloudflare Workers

Callers: ${callers}.

${deploy} Try it first: \`npx wrangler dev\` in this folder, or \`svc preview --target cloudflare-workers\` in the project. For a trial, put variables and secrets into \`.dev.vars\`, one \`NAME=value\` a line; the next build keeps this file. For the deployed Worker, set them with \`npx wrangler secret put NAME\`.

Clients connect to the address of the Worker with \`mcp\` added. Contents: \`sbom.cdx.json\`, \`THIRD-PARTY-LICENSES.txt\`; neither is uploaded.
`;
}

function databaseTooLarge(bytes: number): SvcError {
  return new SvcError(
    'target_unsupported',
    `The database has ${toMiB(bytes)}; Cloudflare Workers allows ${toMiB(ASSET_LIMIT)} for an asset. Make it smaller, or build for another target.`,
  );
}

function tooManyBlocks(blocks: number): SvcError {
  return new SvcError(
    'target_unsupported',
    `The database has ${blocks.toLocaleString('en')} blocks, and a Worker takes ${MOST_BLOCKS.toLocaleString('en')} assets. Build with \`--store r2\`.`,
  );
}

function uploadTooLarge(bytes: number): SvcError {
  return new SvcError(
    'target_unsupported',
    `The Worker has ${toMiB(bytes)} without its database; the limit is ${toMiB(UPLOAD_LIMIT)}.`,
  );
}

function memoryTooSmall(bytes: number): SvcError {
  return new SvcError(
    'target_unsupported',
    `The Worker may need ${toMiB(bytes)} of memory: an isolate has ${toMiB(ISOLATE)}, of which requests need ${toMiB(FOR_REQUESTS)}. Make the database smaller, have fewer endpoints, or build for another target.`,
  );
}
