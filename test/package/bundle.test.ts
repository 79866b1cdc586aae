import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildTarget } from '../../deploy/build.ts';
import { unpackBundle } from '../matrix/bundle.ts';
import { createProject } from '../matrix/fixture.ts';
import { PACKAGE } from './installed.ts';

/* The bundle for desktop clients, with the program that defines the format. */

const MCPB = '@anthropic-ai/mcpb@2.1.2';
const STARTS = 5;
/** The bundle may take as long as this many empty programs; 0.6 s beside 0.04 s is usual on a quiet machine. */
const EMPTY_STARTS = 30;
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'desktop', version: '1' } },
};

describe.skipIf(PACKAGE === undefined)('the bundle for desktop clients', () => {
  let root: string;
  let bundle: string;
  let unpacked: string;
  const mcpb = (...args: readonly string[]) =>
    execFileSync('npx', ['--yes', MCPB, ...args], { encoding: 'utf8', cwd: tmpdir() });

  beforeAll(async () => {
    root = await createProject();
    unpacked = mkdtempSync(join(tmpdir(), 'svc-mcpb-'));
    const { out } = await buildTarget({ root, target: 'mcpb', public: true });
    bundle = join(out, readdirSync(out).find((file) => file.endsWith('.mcpb')) ?? '');
  }, 120_000);
  afterAll(() => {
    for (const folder of [root, unpacked]) rmSync(folder, { recursive: true, force: true });
  });

  it('is unpacked and found valid by mcpb', { timeout: 120_000 }, () => {
    mcpb('unpack', bundle, unpacked);
    expect(mcpb('validate', join(unpacked, 'manifest.json'))).toContain('Manifest schema validation passes!');
    expect(mcpb('info', bundle)).toContain('matrix.mcpb');
  });

  it('answers soon after its start', { timeout: 120_000 }, async () => {
    const { args } = await unpackBundle(join(bundle, '..'), unpacked, {});
    let [best, empty] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let start = 0; start < STARTS; start++) {
      best = Math.min(best, await timeToAnswer(args));
      empty = Math.min(empty, timeOfEmptyProgram());
    }
    console.log(
      `the bundle answers ${Math.round(best)} ms after its start, an empty program ends after ${Math.round(empty)} ms`,
    );
    expect(best / empty).toBeLessThan(EMPTY_STARTS);
  });
});

function timeOfEmptyProgram(): number {
  const begin = performance.now();
  execFileSync(process.execPath, ['-e', '0']);
  return performance.now() - begin;
}

/** Milliseconds from the start of the program to its first answer. */
async function timeToAnswer(args: readonly string[]): Promise<number> {
  const begin = performance.now();
  const child = spawn(process.execPath, args, { cwd: tmpdir(), stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
  for await (const line of createInterface({ input: child.stdout })) {
    const time = performance.now() - begin;
    expect(JSON.parse(line)).toMatchObject({ id: 1, result: { serverInfo: { name: 'matrix' } } });
    child.stdin.end();
    child.kill('SIGTERM');
    return time;
  }
  throw new Error('the program ended without an answer');
}
