import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { expect, it } from 'vitest';
import { startFunction } from '../../../../../deploy/targets/aws-lambda/preview/function.ts';

const HANDLER = `export const handler = async (event) => ({ statusCode: 200, headers: {}, cookies: [], body: 'hello', isBase64Encoded: false });`;

/** Fails where the runtime waits with \`fetch\`, which gives up after five minutes without an answer. */
const NO_FETCH = `data:text/javascript,globalThis.fetch = () => { throw new Error('gives up after 300 s'); };`;

it('a preview waits for its next request without a time limit', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-idle-'));
  const zip = join(folder, 'function.zip');
  await writeFile(zip, zipSync({ 'index.mjs': strToU8(HANDLER) }));
  const environment = { NODE_OPTIONS: `--import "${encodeURI(NO_FETCH)}"` };
  const running = await startFunction(zip, { gateway: 'function-url', environment });
  try {
    for (const _ of [1, 2]) {
      const response = await fetch(running.url);
      expect([response.status, await response.text()]).toEqual([200, 'hello']);
    }
  } finally {
    await running.close();
    await rm(folder, { recursive: true });
  }
});
