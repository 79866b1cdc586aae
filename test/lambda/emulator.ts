import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import { expect } from 'vitest';
import type { HttpHead, HttpResult } from '../../adapters/aws-lambda/event.ts';
import { startFunction, unpack } from '../../deploy/targets/aws-lambda/preview/function.ts';
import { freePort } from '../free-port.ts';

/** AWS's runtime, which `npm run test:lake` installs. */
const RUNTIME = join(process.env.SVC_TEST_LAMBDA ?? '', 'node_modules/aws-lambda-ric/index.mjs');
/** The program `aws-lambda-rie` of this machine, if there is one; else our stand-in for the Runtime API. */
const RIE = process.env.SVC_TEST_RIE;
const TIMEOUT_MS = 60_000;
const EIGHT_ZEROS = Buffer.alloc(8);

/** The response of a function to an HTTP request. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  /** Whether the function streamed its response. */
  readonly streamed: boolean;
}

/** A function inside AWS's runtime. */
export interface Emulator {
  readonly log: readonly string[];
  call(tool: string, args?: Record<string, unknown>): Promise<Answer>;
  close(): Promise<void>;
}

type Environment = { readonly [name: string]: string };
type Invoke = (event: unknown) => Promise<Buffer>;

/** Runs a package inside AWS's runtime, in AWS's emulator where the machine has it. */
export function startEmulator(zip: string, environment: Environment): Promise<Emulator> {
  return RIE === undefined ? overRuntimeApi(zip, environment) : insideEmulator(RIE, zip, environment);
}

async function overRuntimeApi(zip: string, environment: Environment): Promise<Emulator> {
  const { api, log, close } = await startFunction(zip, {
    gateway: 'function-url',
    environment,
    runtime: [RUNTIME, 'index.handler'],
  });
  return { log, call: callWith(async (event) => buffer(await api.invoke(event, TIMEOUT_MS))), close };
}

async function insideEmulator(rie: string, zip: string, environment: Environment): Promise<Emulator> {
  const root = await unpack(zip);
  const [front, api] = [await freePort(), await freePort()].map((port) => `127.0.0.1:${port}`);
  const args = ['--runtime-interface-emulator-address', `${front}`, '--runtime-api-address', `${api}`];
  const child = spawn(rie, [...args, process.execPath, RUNTIME, 'index.handler'], {
    cwd: root,
    env: { LAMBDA_TASK_ROOT: root, AWS_LAMBDA_FUNCTION_TIMEOUT: '60', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log: string[] = [];
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => log.push(line));
  }
  // It does not say when it listens.
  await expect.poll(() => fetch(`http://${front}/`).then(() => true)).toBe(true);
  const address = `http://${front}/2015-03-31/functions/function/invocations`;
  const invoke = async (event: unknown) => {
    const response = await fetch(address, { method: 'POST', body: JSON.stringify(event) });
    return Buffer.from(await response.arrayBuffer());
  };
  return {
    log,
    call: callWith(invoke),
    close: async () => {
      const closed = once(child, 'close');
      child.kill('SIGTERM');
      await closed;
      await rm(root, { recursive: true });
    },
  };
}

function callWith(invoke: Invoke): Emulator['call'] {
  return async (name, args = {}) => toAnswer(await invoke(toEvent(name, args)));
}

/** The event of a Function URL. */
function toEvent(name: string, args: Record<string, unknown>) {
  const domainName = 'abc123.lambda-url.eu-central-1.on.aws';
  const message = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name, arguments: args } };
  return {
    version: '2.0',
    rawPath: '/mcp',
    rawQueryString: '',
    headers: {
      host: domainName,
      'x-forwarded-proto': 'https',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(message),
    isBase64Encoded: false,
    requestContext: {
      domainName,
      requestId: crypto.randomUUID(),
      stage: '$default',
      http: { method: 'POST', sourceIp: '127.0.0.1' },
    },
  };
}

/** A stream has its head as JSON, eight zero bytes, then the body. A buffered result is JSON. */
function toAnswer(payload: Buffer): Answer {
  const end = payload.indexOf(EIGHT_ZEROS);
  if (end >= 0) {
    const { statusCode }: HttpHead = JSON.parse(payload.toString('utf8', 0, end));
    return { status: statusCode, body: payload.toString('utf8', end + 8), streamed: true };
  }
  const { statusCode, body }: HttpResult = JSON.parse(payload.toString());
  return { status: statusCode, body, streamed: false };
}
