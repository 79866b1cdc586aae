import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { buildTarget } from '../../deploy/build.ts';
import { startFunction } from '../../deploy/targets/aws-lambda/preview/function.ts';
import { createProject } from './fixture.ts';
import { rawCall } from './raw.ts';
import { startWorker } from './worker.ts';

// whole programs start here, on machines with little to spare
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let root: string;
let out: string;

beforeAll(async () => {
  root = await createProject();
  out = await mkdtemp(join(tmpdir(), 'svc-audit-'));
  const site = await readFile(join(root, 'svc-site.yml'), 'utf8');
  await writeFile(
    join(root, 'svc-site.yml'),
    site.replace(/(\n {2}default:\n)/, '$1    audit: { enabled: true }\n'),
  );
});
afterAll(async () => {
  for (const folder of [root, out]) await rm(folder, { recursive: true });
});

const RECORD = {
  schema_name: 'svc.endpoints',
  operation_type: 'tool',
  operation_name: 'hello',
  operation_status: 'success',
  caller_type: 'http',
  policy_decision: 'n/a',
};

/** The audit lines among all that a platform wrote. */
function recordsIn(log: readonly string[]): readonly unknown[] {
  const lines = log.flatMap((text) => text.split('\n'));
  return lines.flatMap((line) => {
    const found = /\{"type":"audit",.*\}/.exec(line);
    return found ? [JSON.parse(found[0])] : [];
  });
}

test('aws-lambda: a record is a line of the log', async () => {
  const { out: folder } = await buildTarget({
    root,
    public: true,
    target: 'aws-lambda',
    out: join(out, 'lambda'),
  });
  const lambda = await startFunction(join(folder, 'function.zip'), {
    gateway: 'function-url',
    environment: {},
  });
  try {
    await rawCall({ kind: 'http', url: new URL('mcp', lambda.url) }, 'hello');
    await vi.waitFor(() => expect(recordsIn(lambda.log)).toEqual([expect.objectContaining(RECORD)]), 20_000);
  } finally {
    await lambda.close();
  }
});

// Requirements: env.SVC_AUDIT_ENABLED
test('aws-lambda: built without audit, it is not ready where records are asked for', async () => {
  const silent = await createProject();
  const { out: folder } = await buildTarget({
    root: silent,
    public: true,
    target: 'aws-lambda',
    out: join(out, 'silent'),
  });
  const lambda = await startFunction(join(folder, 'function.zip'), {
    gateway: 'function-url',
    environment: { SVC_AUDIT_ENABLED: 'true' },
  });
  try {
    for (const path of ['ready', 'health']) expect((await fetch(new URL(path, lambda.url))).status).toBe(503);
    await vi.waitFor(() => expect(lambda.log.join('\n')).toContain('built without audit'), 20_000);
  } finally {
    await lambda.close();
    await rm(silent, { recursive: true });
  }
});

test('cloudflare-workers: a record is a line of the log', async () => {
  const { out: folder } = await buildTarget({
    root,
    public: true,
    target: 'cloudflare-workers',
    out: join(out, 'worker'),
  });
  const worker = await startWorker(folder);
  try {
    await rawCall({ kind: 'http', url: new URL('mcp', worker.url) }, 'hello');
    await vi.waitFor(
      () => expect(recordsIn(worker.log())).toEqual([expect.objectContaining(RECORD)]),
      20_000,
    );
  } finally {
    await worker.close();
  }
});

// Requirements: audit.line
test('node: records are in the file, in the folder that it is started in', async () => {
  const built = await buildTarget({ root, public: true, target: 'node', out: join(out, 'node') });
  const cwd = await mkdtemp(join(out, 'cwd-'));
  const env = { PORT: '0' };
  const child = spawn(process.execPath, [join(built.out, 'index.js')], {
    cwd,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    const url = await new Promise<string>((done) => {
      let said = '';
      child.stderr.on('data', (chunk) => {
        said += chunk;
        const found = /"url":"([^"]+)"/.exec(said)?.[1];
        if (found !== undefined) done(found);
      });
    });
    await rawCall({ kind: 'http', url: new URL(url) }, 'hello');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    const text = await readFile(join(cwd, 'audit/logs-default.jsonl'), 'utf8');
    expect(JSON.parse(text)).toMatchObject(RECORD);
  } finally {
    child.kill('SIGKILL');
  }
});
