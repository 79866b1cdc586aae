import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseManifest } from '../../../src/catalog/manifest.ts';
import { SvcError } from '../../../src/errors.ts';
import { readProjectPackage } from '../../project-package.ts';
import { pythonFiles } from '../../python/pyodide-files.ts';
import { variablesOf } from '../../variables.ts';
import { previewNode } from '../node/preview.ts';
import {
  type BuildTarget,
  type BuiltFile,
  CONFIG_FILE,
  type ProjectFacts,
  toDeploymentName,
  toMiB,
} from '../target.ts';
import { createZip } from '../zip.ts';
import { SERVER_FOLDER, toBundleManifest } from './manifest.ts';
import { checkRegistry, toServerJson } from './registry.ts';

/** Clients unpack a bundle in memory. */
const UNPACKED_LIMIT = 512 * 1_048_576;

/** A bundle that a desktop client installs with a double click and runs with its own Node. */
export const target: BuildTarget = {
  runtime: 'node',
  bundles: { 'index.js': 'node/entry', 'engine-worker.js': 'duckdb-wasm/pool/engine-worker' },
  nativeBundles: {},
  database: 'data.duckdb',
  check: checkRegistry,
  files: (facts) => ({ 'package.json': packageJson(facts), 'README.md': readme(facts) }),
  python: { bundles: { 'python-worker.js': 'python-pyodide/worker' }, files: pythonFiles },
  finish: pack,
  next: (project) => `open ${toBundleName(project)}`,
  preview: previewNode,
};

function toBundleName(project: string): string {
  return `${toDeploymentName(project)}.mcpb`;
}

/** The facts about the project also stand here, so that npm's own tools read them. */
function packageJson({ project, about = {} }: ProjectFacts): string {
  const name = toDeploymentName(project);
  return `${JSON.stringify({ name, private: true, type: 'module', ...about }, null, 2)}\n`;
}

async function pack(folder: string, files: readonly BuiltFile[]): Promise<void> {
  // Names that begin with a dot are the state of a preview.
  const shipped = files.filter(({ path }) => !path.startsWith('.') && path !== 'README.md');
  refuseLarge(shipped);
  const manifest = parseManifest(await readFile(join(folder, 'manifest.json'), 'utf8'));
  const configured = shipped.some(({ path }) => path === CONFIG_FILE);
  if (!configured && manifest.secrets.length > 0) throw noConfig(manifest.secrets);
  const config = configured ? await readFile(join(folder, CONFIG_FILE), 'utf8') : null;
  const { project } = manifest.catalog;
  const variables = variablesOf(config, { project, profile: manifest.profile });
  const about = await readProjectPackage(folder);
  const described = `${JSON.stringify(toBundleManifest({ manifest, variables, about }), null, 2)}\n`;
  const packed = shipped.map(async ({ path }) => ({
    path: `${SERVER_FOLDER}/${path}`,
    bytes: await readFile(join(folder, path)),
  }));
  const zip = createZip([
    { path: 'manifest.json', bytes: new TextEncoder().encode(described) },
    ...(await Promise.all(packed)),
  ]);
  const file = toBundleName(project);
  await writeFile(join(folder, file), zip);
  const sha256 = createHash('sha256').update(zip).digest('hex');
  const listed = toServerJson({ project, file, sha256, variables, about });
  if (listed !== null) await writeFile(join(folder, 'server.json'), `${JSON.stringify(listed, null, 2)}\n`);
}

function refuseLarge(files: readonly BuiltFile[]): void {
  const unpacked = files.reduce((sum, { bytes }) => sum + bytes, 0);
  if (unpacked <= UNPACKED_LIMIT) return;
  const [largest] = files.toSorted((a, b) => b.bytes - a.bytes);
  throw new SvcError(
    'target_unsupported',
    `The bundle unpacks to ${toMiB(unpacked)}, and clients unpack it in memory, so svc makes none above ${toMiB(UNPACKED_LIMIT)}. Its largest file is ${largest?.path} (${toMiB(largest?.bytes ?? 0)}). Make the database smaller, or serve the project with \`svc serve\` and connect clients to its address.`,
  );
}

function noConfig(secrets: readonly string[]): SvcError {
  return new SvcError(
    'config_invalid',
    `The project needs the secrets ${secrets.join(', ')}, but no user file is built in, and a desktop client cannot bring one. Build one in with \`--config <file>\`; the client asks its user for each \`\${NAME}\` in it.`,
  );
}

function readme({ project, callers }: ProjectFacts): string {
  const file = toBundleName(project);
  return `# ${project} on desktop clients

Callers: ${callers}. The bundle contains the whole database.

To install it in a desktop client such as Claude Desktop, double-click \`${file}\` (\`open ${file}\` on macOS), or choose it in the client's settings under extensions. The client runs it with its own Node, so nothing else is installed. Audit records, if the project keeps them, are in \`.svc/state/${toDeploymentName(project)}\` of the user's home folder.

\`svc preview --target mcpb\` serves the same program over HTTP on your machine. \`npx @anthropic-ai/mcpb info ${file}\` shows its description. Contents: \`sbom.cdx.json\`, \`THIRD-PARTY-LICENSES.txt\`.
`;
}
