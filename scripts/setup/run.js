import { spawn } from 'node:child_process';

/** Runs a program with its output on stderr, because stdout belongs to the command that needed the set-up. */
export function run(program, args, { cwd, quiet = false }) {
  return new Promise((resolve, reject) => {
    const stdio = quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 2, 2];
    const child = spawn(program, args, { cwd, stdio, env: environment() });
    const output = [];
    child.stdout?.on('data', (chunk) => output.push(chunk));
    child.stderr?.on('data', (chunk) => output.push(chunk));
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, output: Buffer.concat(output).toString() }));
  });
}

/** Removes the variables that npx and `npm run` set for their own command; they would change the npm we start. */
function environment() {
  const foreign = /^npm_(config_(local_prefix|prefix|global|call|package|yes)|command|lifecycle|package)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

/** Prints the text on stderr if the work takes longer than `afterMs`. */
export async function announced(text, afterMs, work) {
  const timer = setTimeout(() => process.stderr.write(`svc: ${text}\n`), afterMs);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}
