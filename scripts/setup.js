#!/usr/bin/env node
import { pathToFileURL } from 'node:url';
import { dependenciesFresh, ensureDependencies, ensureStart, startFresh } from './setup/dependencies.js';
import { distFresh, ensureDist } from './setup/dist.js';
import { exclusively } from './setup/exclusive.js';
import { DEVELOPMENT_NODE, ROOT } from './setup/root.js';
import { announced, run } from './setup/run.js';

/**
 * Brings a checkout up to date: dependencies, compiled code and, when asked for, the wasm artefact. With `start`, it
 * installs only what a server needs to start, and does not check types; tests install the rest.
 */
export async function setUp({ wasm = false, start = false } = {}) {
  const light = start && !wasm;
  if (light ? startFresh() && distFresh() : !wasm && dependenciesFresh() && distFresh()) return;
  await exclusively(async () => {
    await (light ? ensureStart() : ensureDependencies());
    await ensureDist();
    if (wasm) await ensureWasm();
  });
}

/** Builds the wasm artefact. The script does nothing if the artefact is up to date. */
async function ensureWasm() {
  const { status } = await announced('building the DuckDB-WASM artefact, about half a minute ...', 1000, () =>
    run(DEVELOPMENT_NODE, ['scripts/build-wasm.ts'], { cwd: ROOT }),
  );
  if (status !== 0) throw new Error('the wasm artefact could not be built; the reason is printed above.');
}

/**
 * Sets up a checkout for a program that cannot work without it. Prints the error and ends the process if it fails.
 */
export async function setUpOrExit(options) {
  try {
    await setUp(options);
  } catch (error) {
    process.stderr.write(`svc: ${error.message}\n`);
    process.exit(1);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await setUpOrExit({ wasm: process.argv.includes('--wasm') });
}
