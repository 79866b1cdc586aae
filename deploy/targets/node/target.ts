import { OLDEST_NODE } from '../../../adapters/node/oldest-node.ts';
import { ARCHITECTURES } from '../../native/architecture.ts';
import { pythonFiles } from '../../python/pyodide-files.ts';
import {
  type BuildTarget,
  CONFIG_FILE,
  MATERIALS,
  type ProjectFacts,
  PYTHON_FOLDERS,
  toDeploymentName,
} from '../target.ts';
import { uploadCommand, uploadReadme } from '../upload.ts';
import { dockerfile } from './dockerfile.ts';
import { previewNode } from './preview.ts';
import { systemdUnit } from './systemd.ts';

const SHIPPED = [MATERIALS.licenses, MATERIALS.bom, 'index.js', 'manifest.json', 'package.json'];

/** The files of the wasm engine. */
const WASM = ['engine-worker.js', 'duckdb.wasm', 'trampolines.wasm', 'LICENSE.duckdb.txt'];
const DATABASE = 'data.duckdb';

/** A folder that runs under Node: as a program, in a container, or as a service of systemd. */
export const target: BuildTarget = {
  runtime: 'node',
  bundles: { 'index.js': 'node/entry', 'engine-worker.js': 'duckdb-wasm/pool/engine-worker' },
  nativeBundles: { 'index.js': 'node/entry' },
  database: DATABASE,
  files: (facts) => ({
    'package.json': packageJson(facts),
    Dockerfile: dockerfile(facts.callers, shipped(facts), folders(facts), facts.native?.arch ?? null),
    '.dockerignore': `*\n${[...shipped(facts), ...folders(facts)].map((file) => `!${file}\n`).join('')}`,
    [`${toDeploymentName(facts.project)}.service`]: systemdUnit(facts),
    'README.md': readme(facts),
  }),
  python: { bundles: { 'python-worker.js': 'python-pyodide/worker' }, files: pythonFiles },
  remote: { stores: ['s3', 'https'], above: null, mostRanges: null, upload: uploadCommand },
  finish: async () => {},
  next: 'node index.js',
  preview: previewNode,
};

function packageJson({ project, version, native, remote }: ProjectFacts): string {
  const scripts = { start: 'node index.js' };
  const engines = { node: remote === undefined ? `>=${OLDEST_NODE}` : '>=24' };
  const machine = native ? { os: ['linux'], cpu: [ARCHITECTURES[native.arch].npm] } : {};
  const name = toDeploymentName(project);
  return `${JSON.stringify({ name, private: true, version, type: 'module', engines, ...machine, scripts }, null, 2)}\n`;
}

function shipped({ config, python, native, remote }: ProjectFacts): readonly string[] {
  return [
    ...SHIPPED,
    ...(native ? (native.files ?? []) : WASM),
    ...(native || remote ? [] : [DATABASE]),
    ...(config ? [CONFIG_FILE] : []),
    ...(python ? ['python-worker.js'] : []),
  ];
}

function folders({ python, native }: ProjectFacts): readonly string[] {
  return [...(native?.folders ?? []), ...(python ? PYTHON_FOLDERS : [])];
}

function readme({ project, callers, native, remote }: ProjectFacts): string {
  const slug = toDeploymentName(project);
  const machine = native
    ? `\nThis artefact has DuckDB's native engine and runs on Linux with glibc on ${native.arch}. It downloads nothing.\n`
    : '';
  return `# ${project} on Node

Callers: ${callers}.

| run it | with |
|---|---|
| as a program | \`node index.js\`; \`PORT\` and \`HOST\` choose the address |
| as the child of a desktop client | \`node index.js --stdio\` |
| as a container | \`docker build -t ${slug} . && docker run --stop-timeout 20 -p 8000:8000 ${slug}\` |
| as a service of systemd | copy the folder to \`/opt/${slug}\`, then \`systemctl enable --now /opt/${slug}/${slug}.service\` |

\`GET /health\` reports that the server runs, \`GET /ready\` that it accepts calls. \`svc preview --target node\` runs it on your machine. Contents: \`sbom.cdx.json\`, \`THIRD-PARTY-LICENSES.txt\`.
${machine}${uploadReadme(project, remote)}`;
}
