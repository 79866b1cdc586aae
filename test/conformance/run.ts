import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import { runScript } from '../../adapters/duckdb-native/script.ts';
import { buildTarget } from '../../deploy/build.ts';
import { PLATFORMS } from '../matrix/platforms.ts';

/* npm run conformance: the official MCP suite against the built Node and Worker artefacts, in both protocol eras. */

interface Expected {
  readonly scenario: string;
  /** The one platform that fails it. */
  readonly only?: string;
  readonly reason: string;
}

const REVISIONS = ['2026-07-28', '2025-11-25'] as const;
const TARGETS = ['Node over a socket', 'workerd'] as const;
const SUITE = fileURLToPath(new URL('../../node_modules/.bin/conformance', import.meta.url));
const PROJECT = fileURLToPath(new URL('./project', import.meta.url));

const expected: Readonly<Record<string, readonly Expected[]>> =
  parse(await readFile(new URL('./expected-failures.yml', import.meta.url), 'utf8')) ?? {};
for (const { scenario, reason } of Object.values(expected).flat()) {
  if (!reason) throw new Error(`expected-failures.yml gives no reason for ${scenario}`);
}

const work = await mkdtemp(join(tmpdir(), 'svc-conformance-'));
process.env.SVC_DATABASE_PATH = join(work, 'conformance.db');
await runScript(process.env.SVC_DATABASE_PATH, await readFile(join(PROJECT, 'seed.sql'), 'utf8'));

let failed = 0;
let passed = 0;
for (const platform of PLATFORMS.filter(({ name }) => TARGETS.some((target) => target === name))) {
  const out = join(work, platform.target);
  await buildTarget({ root: PROJECT, target: platform.target, out });
  const { reach, close } = await platform.start(out);
  if (reach.kind !== 'http') throw new Error(`${platform.name} has no address`);
  for (const revision of REVISIONS) {
    process.stdout.write(`\n== ${platform.name}, ${revision}\n`);
    if (await runSuite(reach.url, revision, platform.name)) passed += 1;
    else failed += 1;
  }
  await close();
}
await rm(work, { recursive: true });
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

/** Whether the required scenarios of a revision pass but for the expected ones. */
async function runSuite(url: URL, revision: string, platform: string): Promise<boolean> {
  const baseline = join(work, `baseline-${revision}.yml`);
  const failing = (expected[revision] ?? []).filter(({ only = platform }) => only === platform);
  const scenarios = failing.map(({ scenario }) => scenario);
  await writeFile(baseline, stringify({ server: scenarios }));
  const args = ['server', '--url', url.href, '--requirements', revision, '--expected-failures', baseline];
  const child = spawn(SUITE, [...args, '-o', join(work, 'results')], {
    cwd: work,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let report = '';
  child.stdout.on('data', (chunk) => {
    report += chunk;
  });
  const [code] = await once(child, 'close');
  process.stdout.write(report.slice(report.indexOf('=== SUMMARY ===')));
  return code === 0;
}
