import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { unzipSync } from 'fflate';
import type { Log } from '../../../../src/ports.ts';
import type { Reached } from './client.ts';
import { decode, encode, type FromArtefact } from './messages.ts';

/** Runs the Python of a function's package in a process of its own, with nothing but what is in the package. */
export async function startContractFunction(artefact: string, log: Log): Promise<Reached> {
  const folder = await unpack(join(artefact, 'function.zip'), join(artefact, '../task'));
  await build({
    entryPoints: [fileURLToPath(new URL('./lambda-entry.ts', import.meta.url))],
    outfile: join(folder, 'contract.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    tsconfigRaw: '{}',
    logLevel: 'silent',
  });
  const child = spawn(process.execPath, ['contract.mjs'], {
    cwd: folder,
    env: { LAMBDA_TASK_ROOT: folder, HOME: '/nowhere' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const calls = new Map<number, (message: FromArtefact) => void>();
  child.on('message', ([call, text]: readonly [number, string]) => {
    const message = decode<FromArtefact>(text);
    if (message.op === 'log') log(message.line);
    else calls.get(call)?.(message);
  });
  let last = 0;
  return {
    kind: 'pyodide',
    async connect() {
      last += 1;
      const call = last;
      return {
        send: (message) => void child.send([call, encode(message)]),
        onMessage: (take) => void calls.set(call, take),
      };
    },
    async close() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

async function unpack(zip: string, folder: string): Promise<string> {
  for (const [path, bytes] of Object.entries(unzipSync(await readFile(zip)))) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), bytes);
  }
  return folder;
}
