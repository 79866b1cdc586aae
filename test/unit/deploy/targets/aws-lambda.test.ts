import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { awsLambdaTarget as target } from '../../../../deploy/targets/aws-lambda.ts';

const SHIPPED = [
  'LICENSE.duckdb.txt',
  'data.duckdb',
  'duckdb.wasm',
  'index.mjs',
  'manifest.json',
  'trampolines.wasm',
];

test('the deployment file asks for a streaming Function URL on the package that was built', () => {
  const { 'serverless.yml': text = '' } = target.files({ project: 'Sales', version: '1.0.0' });
  expect(parse(text)).toMatchObject({
    service: 'sales',
    provider: { name: 'aws', runtime: 'nodejs24.x', architecture: 'arm64' },
    package: { artifact: 'function.zip' },
    functions: {
      mcp: {
        handler: 'index.handler',
        url: { invokeMode: 'RESPONSE_STREAM' },
        environment: { SVC_LAMBDA_RESPONSE: 'stream' },
      },
    },
  });
});

test('the package holds what the function needs and nothing else', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-pack-'));
  for (const name of [...SHIPPED, 'serverless.yml']) await writeFile(join(folder, name), name);
  await target.finish(folder, []);
  expect(Object.keys(unzipSync(await readFile(join(folder, 'function.zip'))))).toEqual(SHIPPED);
});

test('what does not fit into a function is refused with a way out', async () => {
  const large = target.finish('', [{ path: 'data.duckdb', bytes: 251 * 1_048_576 }]);
  await expect(large).rejects.toThrow(/251\.0 MiB.*--target node/);
});
