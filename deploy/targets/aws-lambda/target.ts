import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SvcError } from '../../../src/errors.ts';
import type { Architecture } from '../../native/architecture.ts';
import { pythonFiles } from '../../python/pyodide-files.ts';
import {
  type BuildTarget,
  type BuiltFile,
  CONFIG_FILE,
  ENGINE_PROCESS,
  MATERIALS,
  NATIVE_FOLDERS,
  PYTHON_FOLDERS,
  toMiB,
} from '../target.ts';
import { uploadCommand, uploadReadme } from '../upload.ts';
import { createZip } from '../zip.ts';
import { deployedVariables, type TemplateFacts } from './needs.ts';
import { previewLambda } from './preview/function.ts';
import { samTemplate } from './sam.ts';
import { MEMORY_MB, RUNTIME, serverlessYml } from './serverless.ts';

/** The largest unpacked size that AWS allows a function. */
const UNPACKED_LIMIT = 250 * 1_048_576;

const SHIPPED = [
  MATERIALS.licenses,
  MATERIALS.bom,
  'LICENSE.duckdb.txt',
  'data.duckdb',
  'duckdb.wasm',
  'index.mjs',
  'manifest.json',
  'trampolines.wasm',
];

/** A function package for Lambda's managed Node runtime. */
export const target: BuildTarget = {
  runtime: 'node',
  bundles: { 'index.mjs': 'aws-lambda/entry' },
  nativeBundles: { 'index.mjs': 'aws-lambda/entry' },
  database: 'data.duckdb',
  files: ({ native = null, ...facts }) => ({
    'serverless.yml': serverlessYml(facts, native?.arch ?? null),
    'template.yaml': samTemplate(facts, native?.arch ?? null),
    'README.md': readme(facts, native?.arch ?? null) + uploadReadme(facts.project, facts.remote),
  }),
  python: { bundles: { 'python-worker.mjs': 'python-pyodide/worker' }, files: pythonFiles },
  remote: { stores: ['s3', 'https'], above: null, mostRanges: null, upload: uploadCommand },
  finish: pack,
  next: 'npx osls deploy',
  preview: previewLambda,
};

async function pack(folder: string, files: readonly BuiltFile[]): Promise<void> {
  const shipped = files.filter(({ path }) => SHIPPED.includes(path) || isOptional(path));
  const unpacked = shipped.reduce((sum, { bytes }) => sum + bytes, 0);
  if (unpacked > UNPACKED_LIMIT) throw tooLarge(unpacked, shipped);
  const packed = shipped.map(async ({ path }) => {
    return { path, bytes: await readFile(join(folder, path)) };
  });
  await writeFile(join(folder, 'function.zip'), createZip(await Promise.all(packed)));
}

/** Whether only some projects have this file. */
function isOptional(path: string): boolean {
  const [folder = '', ...below] = path.split('/');
  if (below.length > 0) return isNative(path) || PYTHON_FOLDERS.some((name) => name === folder);
  return path === CONFIG_FILE || path === ENGINE_PROCESS || path === 'python-worker.mjs';
}

function isNative(path: string): boolean {
  return NATIVE_FOLDERS.some((folder) => path.startsWith(`${folder}/`));
}

function readme(facts: TemplateFacts, arch: Architecture | null): string {
  return `# ${facts.project} on AWS Lambda

Callers: ${facts.callers}.

\`svc preview --target aws-lambda\` runs it on your machine, behind a stand-in for the Lambda Runtime API.

${arch === null ? waysOnBoth() : waysOn(arch)}

${variablesText(deployedVariables(facts))}The Function URL streams (\`RESPONSE_STREAM\`). A Function URL that you create yourself needs two permissions for all callers: \`lambda:InvokeFunctionUrl\`, and \`lambda:InvokeFunction\` for calls through the URL. Behind API Gateway or a \`BUFFERED\` Function URL set \`SVC_LAMBDA_RESPONSE=buffered\`.

Clients connect to the address of the Function URL with \`mcp\` added. Contents of the package: \`sbom.cdx.json\`, \`THIRD-PARTY-LICENSES.txt\`.
`;
}

/** The part of the README about the variables of the user file. */
function variablesText(variables: readonly string[]): string {
  if (variables.length === 0) return '';
  return `The user file in the package needs these variables: ${variables.map((name) => `\`${name}\``).join(', ')}. osls takes their values from your shell, so set them there before each \`npx osls deploy\`. SAM asks for them with \`--guided\`, and keeps the values of later deployments. Without either, set them in the configuration of the function.

`;
}

function waysOnBoth(): string {
  return `| deploy with | on arm64 | on x86 |
|---|---|---|
| osls, the free fork of the Serverless Framework (\`serverless.yml\`) | \`npx osls deploy\` | \`npx osls deploy --param="architecture=x86_64"\` |
| AWS SAM (\`template.yaml\`) | \`sam deploy --guided\` | with \`--parameter-overrides Architecture=x86_64\` |
| anything else (\`function.zip\`) | handler \`index.handler\`, runtime \`${RUNTIME}\`, ${MEMORY_MB} MB | the same package |`;
}

function waysOn(arch: Architecture): string {
  return `This package has DuckDB's native engine and runs on ${arch} only. It downloads nothing. Lambda takes a package of more than 50 MB from S3 alone, where osls and SAM put it.

| deploy with | how |
|---|---|
| osls, the free fork of the Serverless Framework (\`serverless.yml\`) | \`npx osls deploy\` |
| AWS SAM (\`template.yaml\`) | \`sam deploy --guided\` |
| anything else (\`function.zip\`) | handler \`index.handler\`, runtime \`${RUNTIME}\`, architecture \`${arch}\`, ${MEMORY_MB} MB |`;
}

/** The number of files that the error for a large package names. */
const NAMED = 4;

function tooLarge(unpacked: number, files: readonly BuiltFile[]): SvcError {
  const largest = files.toSorted((a, b) => b.bytes - a.bytes).slice(0, NAMED);
  const names = largest.map(({ path, bytes }) => `${path} (${toMiB(bytes)})`).join(', ');
  return new SvcError(
    'target_unsupported',
    `The function unpacks to ${toMiB(unpacked)}; AWS Lambda allows ${toMiB(UNPACKED_LIMIT)}. Its largest files are ${names}. Make the database smaller, remove \`extensions\` that no endpoint needs, or build with --target node and run it as a container.`,
  );
}
