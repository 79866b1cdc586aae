import { MEMORY_MB } from '../../adapters/duckdb-wasm/in-process.ts';
import { SvcError } from '../../src/errors.ts';
import { toSlug } from '../slug.ts';
import { type BuiltFile, CONFIG_FILE, type Target, toMiB } from '../target.ts';

/** What Cloudflare allows one static asset to have. */
const ASSET_LIMIT = 25 * 1_048_576;
/** What we allow the uploaded modules to have, below every limit Cloudflare names. */
const UPLOAD_LIMIT = 30 * 1_048_576;

/** What Cloudflare gives one isolate, and what is left of it for the requests that run in it. */
const ISOLATE = 128 * 1_048_576;
const FOR_REQUESTS = 16 * 1_048_576;
/** The engine takes no more, whatever it is asked. */
const ENGINE_MEMORY = MEMORY_MB * 1_048_576;
/** Measured after a garbage collection, without what the manifest comes to. */
const HEAP = 9 * 1_048_576;
/** The text of the manifest, what it is parsed to, and what is compiled from that. */
const MANIFEST_TIMES = 4;

const MODULES = ['duckdb.wasm', 'index.js', 'manifest.json', 'trampolines.wasm', CONFIG_FILE];
const DATABASE = 'assets/data.duckdb';

/** A module Worker whose database is a static asset. */
export const cloudflareWorkersTarget: Target = {
  runtime: 'workerd',
  bundles: { 'index.js': 'cloudflare-workers/entry' },
  pythonBundles: null,
  database: DATABASE,
  files: ({ project, config = false, python = false }) => ({
    'wrangler.toml':
      wrangler(project, config ? ['manifest.json', CONFIG_FILE] : ['manifest.json']) + bound(project, python),
    'README.md': readme(project) + (python ? PYTHON_README : ''),
  }),
  finish: async (_folder, files) => checkLimits(files),
  next: 'npx wrangler deploy',
};

/** The same with Python endpoints, which a second Worker runs; experimental. */
export const workersWithPython: Target = {
  ...cloudflareWorkersTarget,
  pythonBundles: {},
  next: 'npx wrangler deploy -c python/wrangler.toml && npx wrangler deploy',
};

function bound(project: string, python: boolean): string {
  if (!python) return '';
  return `
# The modules below python/ are of the other Worker.
[[rules]]
type = "CompiledWasm"
globs = ["*.wasm"]
fallthrough = false

[[services]]
binding = "PYTHON"
service = "${toSlug(project)}-python"
entrypoint = "Python"
`;
}

function checkLimits(files: readonly BuiltFile[]): void {
  const database = sizeOf(files, [DATABASE]);
  if (database > ASSET_LIMIT) throw databaseTooLarge(database);
  const upload = sizeOf(files, MODULES);
  if (upload > UPLOAD_LIMIT) throw uploadTooLarge(upload);
  const memory = ENGINE_MEMORY + HEAP + database + MANIFEST_TIMES * sizeOf(files, ['manifest.json']);
  if (memory > ISOLATE - FOR_REQUESTS) throw memoryTooSmall(memory);
}

function sizeOf(files: readonly BuiltFile[], paths: readonly string[]): number {
  return files.filter((file) => paths.includes(file.path)).reduce((sum, file) => sum + file.bytes, 0);
}

function wrangler(project: string, modules: readonly string[]): string {
  const texts = modules.map((name) => `"${name}"`).join(', ');
  return `# npx wrangler deploy
name = "${toSlug(project)}"
main = "index.js"
compatibility_date = "2026-10-20"
# the files are uploaded as they were built
no_bundle = true
find_additional_modules = true

# The database is an asset that only the Worker reads: every request goes to the Worker first, which answers 404.
[assets]
directory = "assets"
binding = "ASSETS"
run_worker_first = true

[[rules]]
type = "Text"
globs = [${texts}]
fallthrough = false

[limits]
cpu_ms = 30000

[observability]
enabled = true
`;
}

const PYTHON_README = `
The Python endpoints are in a second Worker, in \`python/\`, which is experimental. Deploy it first: \`npx wrangler deploy -c python/wrangler.toml && npx wrangler deploy\`. Try both: \`npx wrangler dev -c wrangler.toml -c python/wrangler.toml\`.
`;

function readme(project: string): string {
  return `# ${project} on Cloudflare Workers

Deploy it with \`npx wrangler deploy\` in this folder. Try it first: \`npx wrangler dev\` in this folder, or \`svc preview --target cloudflare-workers\` in the project. Variables and secrets of a trial go into \`.dev.vars\`, one \`NAME=value\` a line, which stays through the next build; those of the Worker are set by \`npx wrangler secret put NAME\`.

Clients connect to the address of the Worker with \`mcp\` added. What is in it: \`sbom.cdx.json\`, \`THIRD-PARTY-LICENSES.txt\`; neither is uploaded.
`;
}

function databaseTooLarge(bytes: number): SvcError {
  return new SvcError(
    'target_unsupported',
    `The database has ${toMiB(bytes)}; an asset of Cloudflare Workers may have ${toMiB(ASSET_LIMIT)}. Make it smaller, or build for another target.`,
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
