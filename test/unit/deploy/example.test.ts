import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { target as awsLambdaTarget } from '../../../deploy/targets/aws-lambda/target.ts';
import { target as cloudflareWorkersTarget } from '../../../deploy/targets/cloudflare-workers/target.ts';

const FACTS = { callers: 'no sign-in, public on purpose', project: 'svc-hello', version: '0.0.0' };
const root = (name: string) => readFile(new URL(`../../../${name}`, import.meta.url), 'utf8');

test("this repository's serverless.yml is what svc build writes, but for the path of the package", async () => {
  const { 'serverless.yml': built = '' } = awsLambdaTarget.files(FACTS);
  const artifact = 'examples/hello/build/aws-lambda/function.zip';
  expect(parse(await root('serverless.yml'))).toEqual({ ...parse(built), package: { artifact } });
});

test("this repository's wrangler.toml has every setting that svc build writes, under its own paths", async () => {
  const { 'wrangler.toml': built = '' } = cloudflareWorkersTarget.files(FACTS);
  const settings = built
    .split('\n')
    .filter((line) => /^[a-z[]/.test(line) && !/^(main|directory) /.test(line));
  const lines = (await root('wrangler.toml')).split('\n');
  for (const setting of settings) expect(lines).toContain(setting);
  expect(lines).toContain('main = "examples/hello/build/cloudflare-workers/index.js"');
  expect(lines).toContain('directory = "examples/hello/build/cloudflare-workers/assets"');
});
