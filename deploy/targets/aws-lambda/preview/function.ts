import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { unzipSync } from 'fflate';
import type { Preview, PreviewOptions } from '../../../preview/process.ts';
import { MEMORY_MB } from '../serverless.ts';
import { type Gateway, startFront } from './gateway.ts';
import { type RuntimeApi, startRuntimeApi } from './runtime-api.ts';

/** The choices for setting up a function. */
export interface FunctionOptions {
  readonly gateway: Gateway;
  readonly environment?: { readonly [name: string]: string };
  /** The function's own time limit. */
  readonly timeoutMs?: number;
  /** The program that loads the handler, for Node. Default: a stand-in for AWS's own. */
  readonly runtime?: readonly string[];
  /** The port of its HTTP address. Default: any free one. */
  readonly port?: number;
  /** Receives each line that the function writes. */
  readonly onLine?: (line: string) => void;
}

/** A running function with an HTTP address. */
export interface LambdaFunction {
  readonly url: URL;
  /** Everything that the function wrote to stdout and stderr, line by line. */
  readonly log: readonly string[];
  readonly api: RuntimeApi;
  /** Resolves with the reason when its process ends. */
  readonly ended: Promise<string>;
  /** The start of its process (performance.now()). */
  readonly startedAt: number;
  close(): Promise<void>;
}

const TIMEOUT_MS = 29_000;
/** The number of log lines in the error when the process ends. */
const TAIL = 20;
/** The extension of this module: `.js` if the package is installed. */
const BOOTSTRAP = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './bootstrap.ts' : './bootstrap.js', import.meta.url),
);

/** Unpacks `function.zip` and runs its handler in a process of its own, as the managed runtime does. */
export async function startFunction(zip: string, options: FunctionOptions): Promise<LambdaFunction> {
  const root = await unpack(zip);
  const api = await startRuntimeApi();
  const log: string[] = [];
  const startedAt = performance.now();
  const child = spawn(process.execPath, options.runtime ?? [BOOTSTRAP], {
    cwd: root,
    env: {
      AWS_LAMBDA_RUNTIME_API: api.address,
      LAMBDA_TASK_ROOT: root,
      _HANDLER: 'index.handler',
      AWS_LAMBDA_FUNCTION_NAME: 'test',
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(MEMORY_MB),
      AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/test',
      AWS_LAMBDA_LOG_STREAM_NAME: 'test',
      ...options.environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => {
      if (line === '') return;
      log.push(line);
      options.onLine?.(line);
    });
  }
  const ended = once(child, 'close').then(
    ([code]) => `the runtime ended with ${code}: ${log.slice(-TAIL).join('\n')}`,
    (cause: Error) => `the runtime cannot be started: ${cause.message}`,
  );
  void ended.then((why) => api.fail(new Error(why)));
  const { gateway, timeoutMs = TIMEOUT_MS, port = 0 } = options;
  const front = await startFront(api, { gateway, timeoutMs, port });
  return {
    url: front.url,
    log,
    api,
    ended,
    startedAt,
    close: async () => {
      front.close();
      child.kill('SIGKILL');
      await ended;
      api.close();
      await rm(root, { recursive: true });
    },
  };
}

/** Unpacks a package into a new folder, which the caller removes. */
export async function unpack(zip: string): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'svc-lambda-'));
  for (const [path, bytes] of Object.entries(unzipSync(await readFile(zip)))) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), bytes);
  }
  return root;
}

/** Runs `function.zip` in a process, behind stand-ins for the Lambda Runtime API and a Function URL. */
export async function previewLambda({ folder, port, env, onLine }: PreviewOptions): Promise<Preview> {
  const given = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const { url, ended, close } = await startFunction(join(folder, 'function.zip'), {
    gateway: 'function-url',
    // Only this machine reaches it.
    environment: { SVC_LAMBDA_RESPONSE: 'stream', ...Object.fromEntries(given), SVC_PUBLIC: 'true' },
    port,
    onLine,
  });
  return { url: new URL('mcp', url).href, ended, close };
}
