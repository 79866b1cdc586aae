import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildTarget } from '../../deploy/build.ts';
import { startPreview } from '../../deploy/preview/preview.ts';
import type { TargetName } from '../../deploy/targets/targets.ts';
import { createProject } from '../matrix/fixture.ts';
import { rawCall } from '../matrix/raw.ts';
import { type Part, startS3 } from './parts.ts';

/* Artefacts with the wasm engine whose database is in S3. */

let root: string;
let out: string;
let s3: Part;

beforeAll(async () => {
  root = await createProject();
  out = await mkdtemp(join(tmpdir(), 'svc-ranges-'));
  s3 = await startS3();
}, 120_000);
afterAll(async () => {
  await s3.stop();
  for (const folder of [root, out]) await rm(folder, { recursive: true });
});

/** The answers of a running artefact to one call, with these variables besides its credentials. */
async function answerOf(target: TargetName, folder: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const preview = await startPreview(target, {
    folder,
    port: 0,
    root,
    env: {
      ...process.env,
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${s3.port}`,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'key',
      AWS_SECRET_ACCESS_KEY: 'secret',
      ...env,
    },
    onLine: () => {},
  });
  try {
    return await rawCall({ kind: 'http', url: new URL(preview.url) }, 'types');
  } finally {
    await preview.close();
  }
}

const uploaded = new Set<string>();

/** Both artefacts have the same database, and so the same key. */
async function upload(key: string, path: string): Promise<void> {
  if (uploaded.has(key)) return;
  const body = await readFile(path);
  const { status } = await fetch(`http://127.0.0.1:${s3.port}/bucket/${key}`, { method: 'PUT', body });
  expect(status).toBe(200);
  uploaded.add(key);
}

const SERVERS: readonly TargetName[] = ['node', 'aws-lambda'];

it.each(SERVERS)('%s answers from ranges of an object in S3 as from its own file', async (target) => {
  const options = { root, public: true, target };
  const own = await buildTarget({ ...options, out: join(out, 'own') });
  const built = await buildTarget({ ...options, store: 's3://bucket/data', out: join(out, 'remote') });
  const [, key = ''] = /^aws s3 cp upload\/data\.duckdb s3:\/\/bucket\/(\S+) && /.exec(built.next) ?? [];
  await upload(key, join(built.out, 'upload/data.duckdb'));
  const answer = await answerOf(target, built.out);
  expect(JSON.parse(answer).result.isError).toBeUndefined();
  expect(answer).toBe(await answerOf(target, own.out));
});
