import { join } from 'node:path';
import { startFunction } from '../../deploy/targets/aws-lambda/preview/function.ts';
import { startWorker } from '../matrix/worker.ts';
import type { Built } from './built.ts';
import { createClient, toCall } from './client.ts';
import { inTurn, median, type Row } from './measure.ts';
import { benchFile, startProgram, timeProcess } from './program.ts';

const ROUNDS = 5;
const CALL = toCall('tool_3', { id: 7 });

/** Starts: a process to its first answer, against the engine opening the same file and answering one query. */
export async function measureBoot(built: Built): Promise<readonly Row[]> {
  const database = join(built.folderOf('node'), 'data.duckdb');
  const engine = () => timeProcess([benchFile('bare/engine.ts'), database], built.root);
  const node = await inTurn(() => nodeStart(built.folderOf('node')), engine, ROUNDS);
  const lambda = await inTurn(() => lambdaStart(built.folderOf('aws-lambda')), engine, ROUNDS);
  const worker = await workerStart(built.folderOf('cloudflare-workers'));
  return [
    {
      what: 'Node, 200 endpoints: start to first answer',
      ours: node.a,
      base: node.b,
      baseName: 'engine alone',
      unit: 'ms',
      budget: 1.3,
    },
    {
      what: 'Lambda, 200 endpoints: cold start',
      ours: lambda.a,
      base: lambda.b,
      baseName: 'engine alone',
      unit: 'ms',
      budget: 1.25,
    },
    {
      what: 'workerd: first request',
      ours: worker.first,
      base: null,
      baseName: '',
      unit: 'ms',
      budget: null,
    },
    {
      what: 'workerd: a warm request, through its proxy',
      ours: worker.warm,
      base: null,
      baseName: '',
      unit: 'ms',
      budget: null,
    },
  ];
}

async function nodeStart(folder: string): Promise<number> {
  const start = performance.now();
  const program = await startProgram(['index.js'], folder);
  const client = createClient(program.url);
  await client.post(CALL);
  const elapsed = performance.now() - start;
  client.close();
  await program.close();
  return elapsed;
}

async function lambdaStart(folder: string): Promise<number> {
  // Unpacking the archive is the platform's work: only what follows the start of the process counts.
  const lambda = await startFunction(join(folder, 'function.zip'), { gateway: 'function-url' });
  const answer = await fetch(new URL('mcp', lambda.url), {
    method: 'POST',
    headers: headersOf(CALL),
    body: CALL,
  });
  await answer.text();
  const elapsed = performance.now() - lambda.startedAt;
  await lambda.close();
  return elapsed;
}

async function workerStart(folder: string): Promise<{ first: number; warm: number }> {
  const firsts: number[] = [];
  const warms: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const worker = await startWorker(folder);
    const call = async () => {
      const start = performance.now();
      const answer = await fetch(new URL('mcp', worker.url), {
        method: 'POST',
        headers: headersOf(CALL),
        body: CALL,
      });
      await answer.text();
      return performance.now() - start;
    };
    firsts.push(await call());
    const later: number[] = [];
    for (let count = 0; count < 50; count += 1) later.push(await call());
    warms.push(median(later));
    await worker.close();
  }
  return { first: median(firsts), warm: median(warms) };
}

function headersOf(body: string): Record<string, string> {
  const { name } = JSON.parse(body).params;
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': name,
  };
}
