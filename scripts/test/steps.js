import { spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { DEVELOPMENT_NODE, ROOT } from '../setup/root.js';
import { ensureBrowser } from './browser.js';
import { ensureClients } from './clients.js';
import { ensureCollector } from './collector.js';
import { ensureDbt } from './dbt.js';
import { ensureIdp } from './idp.js';
import { ensureLake } from './lake.js';
import { ensureLambda } from './lambda.js';
import { ensurePackage } from './package.js';
import { resultsOf } from './results.js';
import { ensureLightVendors, ensureVendors } from './vendors.js';

const BIN = join(ROOT, 'node_modules/.bin');
const REPORTS = join(ROOT, 'build/tests');

/** The checks that run no program; they take seconds. */
export const checkSteps = [
  tool('format and lint', 'biome', ['ci', '--colors=off', '.']),
  tool('types', 'tsc', ['--noEmit', '-p', 'tsconfig.json', '--singleThreaded']),
  tool('types of the core, without Node', 'tsc', ['--noEmit', '-p', 'src/tsconfig.json', '--singleThreaded']),
  tool('types of the page of views, in a browser', 'tsc', [
    '--noEmit',
    '-p',
    'views/tsconfig.json',
    '--singleThreaded',
  ]),
];

/** Unit tests that start programs and engines, or build artefacts: they take minutes. */
const PROGRAMS = ['test/unit/cli', 'test/unit/adapters', 'test/unit/scripts', 'test/unit/deploy'];

/** The other unit tests, including the import rules. They share their modules, which halves the time. */
export const unitStep = vitest('unit', [
  'test/unit',
  '--no-isolate',
  ...PROGRAMS.flatMap((folder) => ['--exclude', `${folder}/**`]),
]);

export const programStep = vitest('programs', PROGRAMS);

/** One list of cases on every built artefact. */
export const matrixStep = vitest('matrix', ['test/matrix']);

/** The contract of both engines. The output appears when it has ended, because the matrix may run beside it. */
export const engineStep = vitest('engine', ['test/engine'], { stdio: 'pipe' });

export const dbtStep = withPrograms('dbt', ensureDbt, 'SVC_TEST_DBT');

/** Attached databases: a Postgres server, a stand-in for S3, SQLite and DuckLake. */
export const lakeStep = withPrograms('lake', ensureLake, 'SVC_TEST_LAKE');

/** Functions inside AWS's own runtime, which answer from a lake. */
export const lambdaStep = withPrograms('lambda', ensureLambda, 'SVC_TEST_LAMBDA');

/** Sign-in with a real Keycloak and other projects' OAuth clients, and the token store in DynamoDB Local. */
export const idpStep = withPrograms('idp', ensureIdp, 'SVC_TEST_IDP');

/** The packed package, installed as users do. */
export const packageStep = withPrograms('package', ensurePackage, 'SVC_TEST_PACKAGE');

/** Views in the official host of MCP Apps, and pages of a server, in a real Chromium. */
export const browserStep = withPrograms('browser', ensureBrowser, 'SVC_TEST_BROWSER');

/** The clients that `svc connect` supports, as far as they run without a person and a model. */
export const clientsStep = withPrograms('clients', ensureClients, 'SVC_TEST_CLIENTS');

/** Spans and metrics in OpenTelemetry's own collector. */
export const collectorStep = withPrograms('collector', ensureCollector, 'SVC_TEST_COLLECTOR');

/** Vendors' client libraries, and their converters of schemas. */
export const vendorsStep = withPrograms('vendors', ensureVendors, 'SVC_TEST_VENDORS');
export const lightVendorsStep = withPrograms('vendors', ensureLightVendors, 'SVC_TEST_VENDORS');

/**
 * Tests with real programs of other projects, if they can be installed. Otherwise the step is reported as skipped.
 */
function withPrograms(name, ensure, variable) {
  const run = async () => {
    const { bin, reason } = await ensure();
    if (bin === null) {
      console.error(`\n*** SKIPPED: the tests with the real ${name} did not run: ${reason} ***\n`);
      return { passed: 0, failed: 0, skipped: reason };
    }
    // The output appears at once when the step has ended, because another step may run beside it.
    return vitest(name, [`test/${name}`], { stdio: 'pipe', env: { [variable]: bin } }).run();
  };
  return { name, run };
}

function tool(name, program, args) {
  const run = async () => {
    const { status, output } = await start(join(BIN, program), args, 'pipe');
    return { passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1, output };
  };
  return { name, run };
}

function vitest(name, folders, { stdio = 'inherit', env = {} } = {}) {
  const report = join(REPORTS, `${name.replaceAll(' ', '-')}.json`);
  const unhandled = `${report}.unhandled`;
  const reporters = ['default', 'json', join(ROOT, 'scripts/test/unhandled-reporter.js')];
  const args = [
    'run',
    ...reporters.map((one) => `--reporter=${one}`),
    `--outputFile.json=${report}`,
    ...folders,
  ];
  const attempt = async () => {
    mkdirSync(REPORTS, { recursive: true });
    for (const path of [report, unhandled]) rmSync(path, { force: true });
    const more = { ...env, SVC_TEST_UNHANDLED: unhandled };
    const { status, output } = await start(join(BIN, 'vitest'), args, stdio, more);
    if (output !== '') console.log(output);
    return { ...resultsOf({ report, unhandled, status }), output: '' };
  };
  const run = async () => {
    const result = await attempt();
    if (!result.crashed || process.env.CI === undefined) return result;
    console.log(`\n${name}: ${result.names.join('\n')}\nOnce more, as any failed test in CI.`);
    return attempt();
  };
  return { name, run };
}

/** Runs a tool with the checkout's own Node. */
function start(program, args, stdio, more = {}) {
  const path = [dirname(DEVELOPMENT_NODE), BIN, process.env.PATH].join(delimiter);
  const env = { ...process.env, ...more, PATH: path };
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: ROOT, env, stdio: ['ignore', stdio, stdio] });
    const output = [];
    child.stdout?.on('data', (chunk) => output.push(chunk));
    child.stderr?.on('data', (chunk) => output.push(chunk));
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, output: Buffer.concat(output).toString() }));
  });
}
