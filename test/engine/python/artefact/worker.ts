import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { loadWrangler } from '../../../wrangler.ts';
import type { Reached } from './client.ts';
import { decode, encode, type FromArtefact } from './messages.ts';

const CONFIG = `name = "contract"
main = "index.js"
compatibility_date = "2026-10-20"
no_bundle = true

[[services]]
binding = "PYTHON"
service = "contract-python"
entrypoint = "Python"
`;

/** Runs the Python Worker of an artefact in workerd, behind one that asks it what a test asks. */
export async function startContractWorker(artefact: string): Promise<Reached> {
  const folder = join(artefact, '../driver');
  await mkdir(folder, { recursive: true });
  await build({
    entryPoints: [fileURLToPath(new URL('./worker-entry.ts', import.meta.url))],
    outfile: join(folder, 'index.js'),
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    tsconfigRaw: '{}',
    logLevel: 'silent',
  });
  await writeFile(join(folder, 'wrangler.toml'), CONFIG);
  const { createTestHarness } = await loadWrangler();
  const workers = [folder, join(artefact, 'python')].map((one) => ({
    configPath: join(one, 'wrangler.toml'),
  }));
  const harness = createTestHarness({ workers });
  const { url } = await harness.listen();
  return {
    kind: 'rpc',
    connect: () => connect(new URL(url)),
    close: () => harness.close(),
    printed: () => harness.getLogs().map(({ message }) => message),
  };
}

async function connect(url: URL): ReturnType<Reached['connect']> {
  const socket = new WebSocket(`ws://${url.host}`);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.onopen = () => resolve();
  socket.onerror = () => reject(new Error('the Worker cannot be reached'));
  await promise;
  return {
    send: (message) => socket.send(encode(message)),
    onMessage(take) {
      socket.onmessage = ({ data }) => {
        const message = decode<FromArtefact>(String(data));
        take(message);
        if (message.op === 'done' || message.op === 'failed') socket.close();
      };
    },
  };
}
