import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SvcError } from '../../../src/errors.ts';
import { pythonFiles } from '../../python/pyodide-files.ts';
import {
  type BuildTarget,
  type BuiltFile,
  CONFIG_FILE,
  MATERIALS,
  PYTHON_FOLDERS,
  toMiB,
} from '../target.ts';
import { previewLambda } from './preview/preview.ts';
import { samTemplate } from './sam.ts';
import { MEMORY_MB, RUNTIME, serverlessYml } from './serverless.ts';
import { createZip } from './zip.ts';

/** The largest unpacked size that AWS allows a function. */
const UNPACKED_LIMIT = 250 * 1_048_576;

const SNAPSHOT = 'pyodide/snapshot.bin';

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
  database: 'data.duckdb',
  files: ({ project }) => ({
    'serverless.yml': serverlessYml(project),
    'template.yaml': samTemplate(project),
    'README.md': readme(project),
  }),
  python: { bundles: { 'python-worker.mjs': 'python-pyodide/worker' }, files: pythonFiles },
  finish: pack,
  next: 'npx osls deploy',
  preview: previewLambda,
};

async function pack(folder: string, files: readonly BuiltFile[]): Promise<void> {
  const shipped = [...SHIPPED, ...files.map(({ path }) => path).filter(isOptional)];
  const unpacked = files
    .filter((file) => shipped.includes(file.path))
    .reduce((sum, file) => sum + file.bytes, 0);
  if (unpacked > UNPACKED_LIMIT) throw tooLarge(unpacked);
  const packed = shipped.map(async (path) => {
    const bytes = await readFile(join(folder, path));
    // Level 9 takes four times as long and saves 1 %.
    return { path, bytes, level: path === SNAPSHOT ? 4 : 9 } as const;
  });
  await writeFile(join(folder, 'function.zip'), createZip(await Promise.all(packed)));
}

/** Whether only some projects have this file. */
function isOptional(path: string): boolean {
  const [folder = '', ...below] = path.split('/');
  if (below.length > 0) return PYTHON_FOLDERS.some((name) => name === folder);
  return path === CONFIG_FILE || path === 'python-worker.mjs';
}

function readme(project: string): string {
  return `# ${project} on AWS Lambda

\`svc preview --target aws-lambda\` runs it on your machine, behind a stand-in for the Lambda Runtime API.

| deploy with | on arm64 | on x86 |
|---|---|---|
| osls, the free fork of the Serverless Framework (\`serverless.yml\`) | \`npx osls deploy\` | \`npx osls deploy --param="architecture=x86_64"\` |
| AWS SAM (\`template.yaml\`) | \`sam deploy --guided\` | with \`--parameter-overrides Architecture=x86_64\` |
| anything else (\`function.zip\`) | handler \`index.handler\`, runtime \`${RUNTIME}\`, ${MEMORY_MB} MB | the same package |

The Function URL streams (\`RESPONSE_STREAM\`). A Function URL that you create yourself needs two permissions for all callers: \`lambda:InvokeFunctionUrl\`, and \`lambda:InvokeFunction\` for calls through the URL. Behind API Gateway or a \`BUFFERED\` Function URL set \`SVC_LAMBDA_RESPONSE=buffered\`.

Clients connect to the address of the Function URL with \`mcp\` added. Contents of the package: \`sbom.cdx.json\`, \`THIRD-PARTY-LICENSES.txt\`.
`;
}

function tooLarge(unpacked: number): SvcError {
  return new SvcError(
    'target_unsupported',
    `The function unpacks to ${toMiB(unpacked)}; AWS Lambda allows ${toMiB(UNPACKED_LIMIT)}. Make the database smaller, or build with --target node and run it as a container.`,
  );
}
