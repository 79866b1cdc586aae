import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { target } from '../../../../../deploy/targets/aws-lambda/target.ts';

const SHIPPED = [
  'LICENSE.duckdb.txt',
  'THIRD-PARTY-LICENSES.txt',
  'data.duckdb',
  'duckdb.wasm',
  'index.mjs',
  'manifest.json',
  'sbom.cdx.json',
  'trampolines.wasm',
];

test('the deployment file asks for a streaming Function URL on the package that was built', () => {
  const { 'serverless.yml': text = '' } = target.files({ project: 'Sales', version: '1.0.0' });
  expect(parse(text)).toMatchObject({
    service: 'sales',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the Serverless Framework
    provider: { name: 'aws', runtime: 'nodejs24.x', architecture: "${param:architecture, 'arm64'}" },
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

test('the SAM template asks for the same function, on either processor', () => {
  const { 'template.yaml': text = '' } = target.files({ project: 'Sales: "north"', version: '1.0.0' });
  const [short, tags] = [
    (name: string) => ({ tag: `!${name}`, resolve: (value: string) => value }),
    ['Ref', 'GetAtt'],
  ];
  const template = parse(text, { customTags: tags.map(short) });
  expect(template).toMatchObject({
    Transform: 'AWS::Serverless-2016-10-31',
    Description: 'Sales: "north", an MCP server built by svc',
    Parameters: { Architecture: { Default: 'arm64', AllowedValues: ['arm64', 'x86_64'] } },
    Resources: {
      Mcp: {
        Type: 'AWS::Serverless::Function',
        Properties: {
          CodeUri: 'function.zip',
          Handler: 'index.handler',
          Architectures: ['Architecture'],
          FunctionUrlConfig: { AuthType: 'NONE', InvokeMode: 'RESPONSE_STREAM' },
        },
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
