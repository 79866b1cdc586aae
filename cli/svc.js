#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Plain JavaScript, because it must start on a Node that is too old for the rest.
const OLDEST = [22, 15];
const SELF = fileURLToPath(import.meta.url);
const ROOT = dirname(dirname(SELF));
const OWN_NODE = join(ROOT, 'node_modules/node/bin/node');
const TOO_OLD = `this is Node ${process.versions.node}, but svc needs ${OLDEST.join('.')} or newer.
  Install a newer Node (https://nodejs.org), or put it first in PATH, and run the same command again.`;
// The native engine gives each long query a thread of Node's pool, which takes its size once, when it is first used.
process.env.UV_THREADPOOL_SIZE ??= '72';
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'];

// SIGHUP asks a server to reload, and would end one that still starts. Until it has read its first file, nothing needs a reload.
if (process.argv.some((word) => word === 'serve' || word === 'dev')) process.on('SIGHUP', () => {});

if (newEnough()) {
  await prepareCheckout();
  module.enableCompileCache?.();
  const { main } = await import('../dist/cli/main.js');
  process.exitCode = await main(process.argv.slice(2));
} else {
  if (!existsSync(OWN_NODE)) await prepareCheckout();
  if (!existsSync(OWN_NODE)) fail(TOO_OLD);
  runUnderOwnNode();
}

/** Installs and compiles a checkout. An installed package has neither sources nor a set-up script. */
async function prepareCheckout() {
  if (!existsSync(join(ROOT, 'tsconfig.json'))) return;
  const { setUp } = await import('../scripts/setup.js');
  await setUp({ start: true }).catch((error) => fail(error.message));
}

function newEnough() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

function runUnderOwnNode() {
  const args = [...process.execArgv, SELF, ...process.argv.slice(2)];
  const child = spawn(OWN_NODE, args, { stdio: 'inherit' });
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(error.message));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** Prints an error, as JSON if the user asked for JSON. */
function fail(message) {
  const error = { code: 'internal', message };
  if (process.argv.includes('--json')) console.log(JSON.stringify({ status: 'error', error }));
  else console.error(`svc: ${message}`);
  process.exit(1);
}
