import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unzipSync, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LambdaFunction, startFunction } from '../../deploy/targets/aws-lambda/preview/function.ts';
import { type Artefacts, createArtefacts } from './artefacts.ts';
import { rawCall } from './raw.ts';

let artefacts: Artefacts;
let zip: string;

beforeAll(async () => {
  artefacts = await createArtefacts();
  zip = join((await artefacts.get('aws-lambda')).out, 'function.zip');
});
afterAll(() => artefacts.remove());

const call = ({ url }: LambdaFunction, tool: string) =>
  rawCall({ kind: 'http', url: new URL('mcp', url) }, tool);

describe.each(['stream', 'buffered'])('SVC_LAMBDA_RESPONSE=%s', (response) => {
  let lambda: LambdaFunction;

  beforeAll(async () => {
    lambda = await startFunction(zip, {
      gateway: 'function-url',
      environment: { SVC_LAMBDA_RESPONSE: response },
      timeoutMs: 3_000,
    });
  });
  afterAll(() => lambda.close());

  test('a call that would take longer than the function may run is answered before it ends', async () => {
    const started = Date.now();
    const { result } = JSON.parse(await call(lambda, 'slow'));
    // Its own limit would end the call then, with another text.
    expect(Date.now() - started).toBeLessThan(20_000);
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toContain('ran out of time');
    expect(JSON.parse(await call(lambda, 'hello')).result.isError).toBeUndefined();
  });

  test('what goes wrong is logged with the ids of the invocation and of the request', async () => {
    await call(lambda, 'convert');
    const lines = lambda.log.map((line) => JSON.parse(line));
    expect(lines).toContainEqual(
      expect.objectContaining({
        aws_request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        http_request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      }),
    );
  });
});

// Requirements: log.request-lines
test.each([
  ['no', {}, 0],
  ['a', { SVC_DEBUG: 'true' }, 1],
])('a request writes %s line of its own with the variables %j', async (_, environment, count) => {
  const lambda = await startFunction(zip, { gateway: 'function-url', environment });
  expect(JSON.parse(await call(lambda, 'hello')).result.isError).toBeUndefined();
  await lambda.close();
  expect(lambda.log.filter((line) => line.includes('POST /mcp 200'))).toHaveLength(count);
});

test('an event of another kind fails by name and leaves the function alive', async () => {
  const lambda = await startFunction(zip, {
    gateway: 'function-url',
    environment: { SVC_LAMBDA_RESPONSE: 'buffered' },
  });
  await expect(lambda.api.invoke({ source: 'aws.events' }, 3_000)).rejects.toThrow(/payload format 2\.0/);
  expect(JSON.parse(await call(lambda, 'hello')).result.isError).toBeUndefined();
  await lambda.close();
});

test('a package without its database starts, answers calls with an error and says why in its log', async () => {
  const broken = join(artefacts.root, 'broken.zip');
  const { 'data.duckdb': _, ...rest } = unzipSync(await readFile(zip));
  await writeFile(broken, zipSync(rest, { level: 0 }));
  const lambda = await startFunction(broken, { gateway: 'function-url' });
  expect(JSON.parse(await call(lambda, 'hello')).result.isError).toBe(true);
  expect(lambda.log.join('\n')).toContain('data.duckdb');
  await lambda.close();
});
