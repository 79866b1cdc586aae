#!/usr/bin/env node
import { pathToFileURL } from 'node:url';
import { dependenciesFresh, ensureDependencies } from './setup/dependencies.js';
import { distFresh, ensureDist } from './setup/dist.js';
import { exclusively } from './setup/exclusive.js';
import { DEVELOPMENT_NODE, ROOT } from './setup/root.js';
import { run } from './setup/run.js';

/** Brings a checkout up to date: dependencies, compiled code and, when asked for, the wasm artefact. */
export async function setUp({ wasm = false } = {}) {
  if (!wasm && dependenciesFresh() && distFresh()) return;
  await exclusively(async () => {
    await ensureDependencies();
    await ensureDist();
    if (wasm) await ensureWasm();
  });
}

/** The script itself knows whether its artefact is up to date. */
async function ensureWasm() {
  const code = `await (await import('./scripts/build-wasm.ts')).buildWasm()`;
  const { status } = await run(DEVELOPMENT_NODE, ['--input-type=module', '-e', code], { cwd: ROOT });
  if (status !== 0) throw new Error('The wasm artefact could not be built; the reason is printed above.');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    await setUp({ wasm: process.argv.includes('--wasm') });
  } catch (error) {
    console.error(`svc set-up: ${error.message}`);
    process.exitCode = 1;
  }
}
