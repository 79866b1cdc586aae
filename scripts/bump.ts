import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { measureEngine } from './build-wasm.ts';
import { findPackages } from './bump/packages.ts';
import { type Pins, writeMeasures, writePins } from './bump/pins.ts';
import { type Change, changesOf, type Surface } from './bump/surface.ts';
import { PINNED } from './wasm/pinned.ts';

/*
 * `npm run bump -- 1.5.6`: moves both engines to a version of DuckDB, tests them, and reports. It changes the tree and
 * commits nothing. What it cannot decide stays in the report: new names that SQL reaches, answers that changed.
 */

const SURFACE = 'test/engine/surface.json';
const NODE = process.execPath;

/** The tests that must pass before a move to another version. The gate of answers is last, because it takes longest. */
const TESTS: readonly (readonly [name: string, ...files: readonly string[]])[] = [
  ['layout of C++ objects', 'test/unit/adapters/duckdb-wasm'],
  ['native adapter', 'test/unit/adapters/duckdb-native'],
  ['build of the wasm artefact', 'test/unit/scripts/build-wasm.test.ts'],
  ['versions', 'test/engine/version.test.ts'],
  ['contract', 'test/engine/wasm.test.ts', 'test/engine/native.test.ts', 'test/engine/native-writes.test.ts'],
  ['escapes', 'test/engine/escapes.test.ts'],
  ['functions of both engines', 'test/engine/functions.test.ts', 'test/engine/missing-functions.test.ts'],
  ['statements that fail', 'test/engine/failing-functions.test.ts'],
  ['answers of both engines', 'test/engine/answers'],
];

const [version] = process.argv.slice(2);
if (version === undefined || !/^\d+\.\d+\.\d+$/.test(version)) {
  console.error('Usage: npm run bump -- <version of DuckDB>, such as 1.5.6');
  process.exit(2);
}
process.exitCode = await bump(version);

async function bump(to: string): Promise<number> {
  const before = currentPins();
  const after: Pins = { version: to, ...(await inTemporaryFolder((folder) => findPackages(to, folder))) };
  say(
    `DuckDB ${before.version} -> ${to}: node-api ${before.api} -> ${after.api}, wasm ${before.wasm} -> ${after.wasm}`,
  );
  const files = writePins(before, after);
  say(`pins changed in ${files.length} files:\n  ${files.join('\n  ')}`);
  execFileSync('npm', ['install', '--no-audit', '--no-fund'], { stdio: 'inherit' });
  say('run `npm run pins -- python/dbt python/fts python/lake` for the hashes of packages of PyPI');
  const measures = measureEngine();
  writeMeasures(measures);
  say(`the engine: ${measures.bytes} bytes of data, ${measures.slots} slots, sha256 ${measures.sha256}`);
  if (!build()) return 1;
  reportSurface();
  return runTests();
}

function currentPins(): Pins {
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const api = String(devDependencies['@duckdb/node-api']);
  return { api, wasm: PINNED.version, version: api.replace(/-r.*/, '') };
}

async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bump-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reads the new pins in a process of its own. Fails if the engine no longer exports a function that we call. */
function build(): boolean {
  const { status } = spawnSync(NODE, ['scripts/build-wasm.ts'], { stdio: 'inherit' });
  if (status !== 0)
    return failed('the wasm artefact cannot be built: adapt the symbols, then run this again');
  const file = 'dist/duckdb-wasm/duckdb.wasm';
  say(
    `the artefact: ${megabytes(statSync(file).size)}, gzip ${megabytes(gzipSync(readFileSync(file), { level: 9 }).length)}`,
  );
  const compiled = spawnSync(NODE, ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.json'], {
    encoding: 'utf8',
  });
  if (compiled.status !== 0) return failed(`the code does not compile:\n${compiled.stdout}`);
  return true;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(2)} MB`;
}

/** Records the lists of the new version. Try each new function as a caller of the SQL tools. */
function reportSurface(): void {
  const recorded: Surface = JSON.parse(readFileSync(SURFACE, 'utf8'));
  const program =
    "import { readSurface } from './scripts/bump/surface.ts'; console.log(JSON.stringify(await readSurface()));";
  const text = execFileSync(NODE, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  const now: Surface = JSON.parse(text);
  writeFileSync(SURFACE, `${JSON.stringify(now, null, 2)}\n`);
  const changes = changesOf(recorded, now);
  if (changes.length === 0) say('no new functions, settings, kinds of statements or types');
  for (const change of changes) say(shown(change));
  if (changes.length > 0)
    say('Try each new name as a caller of the SQL tools (test/engine/escapes.ts) before this is committed.');
}

function shown({ list, added, removed }: Change): string {
  return `${list}: ${added.length} new, ${removed.length} gone${[...added.map((name) => `\n  + ${name}`), ...removed.map((name) => `\n  - ${name}`)].join('')}`;
}

function runTests(): number {
  const environment = { ...process.env, SVC_TEST_ROUNDS: '3000', SVC_TEST_ANSWERS: 'all' };
  const failing = TESTS.filter(([name, ...files]) => {
    const { status } = spawnSync(NODE, ['node_modules/vitest/vitest.mjs', 'run', ...files], {
      stdio: 'inherit',
      env: environment,
    });
    say(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}`);
    return status !== 0;
  });
  if (failing.length === 0) say('all tests pass; `git diff` shows what the move changes');
  else
    failed(
      `${failing.length} of ${TESTS.length} groups of tests fail: ${failing.map(([name]) => name).join(', ')}`,
    );
  return failing.length === 0 ? 0 : 1;
}

function say(text: string): void {
  console.log(`bump: ${text}`);
}

function failed(text: string): false {
  console.error(`bump: ${text}`);
  return false;
}
