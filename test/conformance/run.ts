import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { parse, stringify } from 'yaml';
import { runScript } from '../../adapters/duckdb-native/files/script.ts';
import { buildTarget } from '../../deploy/build.ts';
import { LAMBDA_DOMAINS } from '../../deploy/targets/aws-lambda/preview/gateway.ts';
import { PLATFORMS, type Platform, SERVED, type Served } from '../matrix/platforms.ts';

/* npm run conformance [-- name]: the official MCP suite against the server and every artefact, in both protocol eras. */

interface Expected {
  readonly scenario: string;
  /** The targets that fail it; all of them where it is left out. */
  readonly only?: readonly string[];
  /** No check of it fails, but the suite warns that it could not make them: its own summary takes that as passed. */
  readonly warns?: boolean;
  readonly reason: string;
}

const REVISIONS = ['2026-07-28', '2025-11-25'] as const;
/** `svc serve` keeps sessions; artefacts keep nothing. */
const TARGETS = ['svc serve', 'Node over a socket', 'workerd', 'Lambda, Function URL, streaming'] as const;
const SUITE = fileURLToPath(new URL('../../node_modules/.bin/conformance', import.meta.url));
const PACKAGE = new URL('../../node_modules/@modelcontextprotocol/conformance/', import.meta.url);
const PROJECT = fileURLToPath(new URL('./project', import.meta.url));

const expected: Readonly<Record<string, readonly Expected[]>> =
  parse(await readFile(new URL('./expected-failures.yml', import.meta.url), 'utf8')) ?? {};
for (const { scenario, reason, only = [] } of REVISIONS.flatMap((revision) => expected[revision] ?? [])) {
  if (!reason) throw new Error(`expected-failures.yml gives no reason for ${scenario}`);
  const unknown = only.find((name) => !TARGETS.some((target) => target === name));
  if (unknown !== undefined) throw new Error(`expected-failures.yml knows a target ${unknown}`);
}

const work = await mkdtemp(join(tmpdir(), 'svc-conformance-'));
const root = join(work, 'project');
await cp(PROJECT, root, { recursive: true });
// What a platform cannot know: by which names it is to be reached.
const LOCAL = ['localhost', '127.0.0.1'];
const NAMES = { allowed_hosts: [...LOCAL, LAMBDA_DOMAINS['function-url']], allowed_origins: LOCAL };
await writeFile(join(work, 'config.yml'), stringify({ svc: 1, transport: { http: NAMES } }));
await mkdir(join(root, 'data'));
await runScript(join(root, 'data/conformance.db'), await readFile(join(root, 'seed.sql'), 'utf8'));

const [, , wanted] = process.argv;
const lines: string[] = [];
let failed = 0;
for (const target of [...SERVED, ...PLATFORMS].filter(({ name }) => isTarget(name))) {
  const { reach, close } = await target.start(await toFolder(target));
  if (reach.kind !== 'http') throw new Error(`${target.name} has no address`);
  for (const revision of REVISIONS) {
    process.stdout.write(`\n== ${target.name}, ${revision}\n`);
    const { ok, passed, warned, total } = await runSuite(reach.url, revision, target.name);
    const warning = warned === 0 ? '' : ` (${warned} with a warning)`;
    lines.push(`${ok ? 'ok  ' : 'FAIL'} ${revision} ${passed}/${total}${warning} ${target.name}`);
    if (!ok) failed += 1;
  }
  await close();
}
await rm(work, { recursive: true });
process.stdout.write(`\n${lines.join('\n')}\n`);
process.exitCode = failed === 0 ? 0 : 1;

function isTarget(name: string): boolean {
  return TARGETS.some((target) => target === name) && (wanted === undefined || name.includes(wanted));
}

/** An artefact's own folder, or the project where that is served as it is. */
async function toFolder({ target }: Platform | Served): Promise<string> {
  if (target === undefined) return root;
  const out = join(work, target);
  await buildTarget({
    root,
    public: true,
    target,
    out,
    config: join(work, 'config.yml'),
    experimentalPython: true,
  });
  return out;
}

interface Verdict {
  /** Whether exactly the expected scenarios fail, or warn. */
  readonly ok: boolean;
  /** With those that only warn. */
  readonly passed: number;
  readonly warned: number;
  readonly total: number;
}

async function runSuite(url: URL, revision: string, target: string): Promise<Verdict> {
  const baseline = join(work, `baseline-${revision}.yml`);
  const failing = (expected[revision] ?? []).filter(({ only = [target] }) => only.includes(target));
  await writeFile(baseline, stringify({ server: failing.map(({ scenario }) => scenario) }));
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
  const summary = report.slice(report.indexOf('=== SUMMARY ==='));
  process.stdout.write(summary);
  const ticked = new Set(
    [...plain(summary).matchAll(/^✓ ([^:\s]+): \d+ passed, 0 failed$/gm)].map(([, name]) => name),
  );
  // The suite's baseline counts warnings as failures.
  const asListed = failing.every(({ scenario, warns = false }) => ticked.has(scenario) === warns);
  const required = await requiredBy(revision);
  return {
    ok: code === 0 && asListed,
    passed: required.filter((name) => ticked.has(name)).length,
    warned: failing.filter(({ scenario }) => ticked.has(scenario)).length,
    total: required.length,
  };
}

/** The scenarios that a revision requires of a server. */
async function requiredBy(revision: string): Promise<readonly string[]> {
  const file = new URL(`requirements/${revision}.yaml`, PACKAGE);
  const { server }: { server: readonly string[] } = parse(await readFile(file, 'utf8'));
  return server;
}

function plain(text: string): string {
  return stripVTControlCharacters(text);
}
