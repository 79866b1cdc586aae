import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SvcError } from '../../src/errors.ts';
import { toSlug } from '../slug.ts';
import { type BuiltFile, CONFIG_FILE, type Target, toMiB } from '../target.ts';
import { createZip } from '../zip.ts';

/** What AWS allows a function to unpack to. */
const UNPACKED_LIMIT = 250 * 1_048_576;

const SHIPPED = [
  'LICENSE.duckdb.txt',
  'data.duckdb',
  'duckdb.wasm',
  'index.mjs',
  'manifest.json',
  'trampolines.wasm',
];

/** A function package for the managed Node runtime. */
export const awsLambdaTarget: Target = {
  runtime: 'node',
  bundles: { 'index.mjs': 'aws-lambda/entry' },
  database: 'data.duckdb',
  files: ({ project }) => ({ 'serverless.yml': serverless(project), 'README.md': readme(project) }),
  finish: pack,
  next: 'npx osls deploy',
};

async function pack(folder: string, files: readonly BuiltFile[]): Promise<void> {
  const shipped = files.some(({ path }) => path === CONFIG_FILE) ? [...SHIPPED, CONFIG_FILE] : SHIPPED;
  const unpacked = files
    .filter((file) => shipped.includes(file.path))
    .reduce((sum, file) => sum + file.bytes, 0);
  if (unpacked > UNPACKED_LIMIT) throw tooLarge(unpacked);
  const packed = shipped.map(async (path) => ({ path, bytes: await readFile(join(folder, path)) }));
  await writeFile(join(folder, 'function.zip'), createZip(await Promise.all(packed)));
}

function serverless(project: string): string {
  return `# npx osls deploy
service: ${toSlug(project)}

provider:
  name: aws
  region: \${opt:region, env:AWS_REGION, 'us-east-1'}
  runtime: nodejs24.x
  architecture: arm64
  memorySize: 1769
  timeout: 29

package:
  artifact: function.zip

functions:
  mcp:
    handler: index.handler
    environment:
      SVC_LAMBDA_RESPONSE: stream
    url:
      invokeMode: RESPONSE_STREAM
`;
}

function readme(project: string): string {
  return `# ${project} on AWS Lambda

Deploy it with \`npx osls deploy\` in this folder, or upload \`function.zip\` by hand (handler \`index.handler\`, runtime \`nodejs24.x\`, architecture \`arm64\`, a Function URL with invoke mode \`RESPONSE_STREAM\`); behind API Gateway or a \`BUFFERED\` Function URL set \`SVC_LAMBDA_RESPONSE=buffered\`.
`;
}

function tooLarge(unpacked: number): SvcError {
  return new SvcError(
    'target_unsupported',
    `The function unpacks to ${toMiB(unpacked)}; AWS Lambda allows ${toMiB(UNPACKED_LIMIT)}. Make the database smaller, or build with --target node and run it as a container.`,
  );
}
