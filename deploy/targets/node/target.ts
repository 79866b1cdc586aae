import { pythonFiles } from '../../python/pyodide-files.ts';
import { toDeploymentName } from '../deployment-name.ts';
import { type BuildTarget, CONFIG_FILE, MATERIALS, type ProjectFacts, PYTHON_FOLDERS } from '../target.ts';
import { dockerfile } from './dockerfile.ts';
import { previewNode } from './preview.ts';
import { systemdUnit } from './systemd.ts';

const SHIPPED = [
  MATERIALS.licenses,
  MATERIALS.bom,
  'index.js',
  'engine-worker.js',
  'manifest.json',
  'data.duckdb',
  'duckdb.wasm',
  'trampolines.wasm',
  'LICENSE.duckdb.txt',
  'package.json',
];

/** A folder that runs under Node: as a program, in a container, or as a service of systemd. */
export const target: BuildTarget = {
  runtime: 'node',
  bundles: { 'index.js': 'node/entry', 'engine-worker.js': 'duckdb-wasm/pool/engine-worker' },
  database: 'data.duckdb',
  files: ({ project, version, ...facts }) => ({
    'package.json': packageJson(project, version),
    Dockerfile: dockerfile(shipped(facts), facts.python ? PYTHON_FOLDERS : []),
    '.dockerignore': `*\n${[...shipped(facts), ...(facts.python ? PYTHON_FOLDERS : [])]
      .map((file) => `!${file}\n`)
      .join('')}`,
    [`${toDeploymentName(project)}.service`]: systemdUnit(project),
    'README.md': readme(project),
  }),
  python: { bundles: { 'python-worker.js': 'python-pyodide/worker' }, files: pythonFiles },
  finish: async () => {},
  next: 'node index.js',
  preview: previewNode,
};

function packageJson(project: string, version: string): string {
  const scripts = { start: 'node index.js' };
  const engines = { node: '>=22.15' };
  return `${JSON.stringify({ name: toDeploymentName(project), private: true, version, type: 'module', engines, scripts }, null, 2)}\n`;
}

function shipped({ config, python }: Pick<ProjectFacts, 'config' | 'python'>): readonly string[] {
  return [...SHIPPED, ...(config ? [CONFIG_FILE] : []), ...(python ? ['python-worker.js'] : [])];
}

function readme(project: string): string {
  const slug = toDeploymentName(project);
  return `# ${project} on Node

| run it | with |
|---|---|
| as a program | \`node index.js\`; \`PORT\` and \`HOST\` choose the address |
| as the child of a desktop client | \`node index.js --stdio\` |
| as a container | \`docker build -t ${slug} . && docker run -p 8000:8000 ${slug}\` |
| as a service of systemd | copy the folder to \`/opt/${slug}\`, then \`systemctl enable --now /opt/${slug}/${slug}.service\` |

\`GET /health\` reports that the server runs, \`GET /ready\` that it accepts calls. \`svc preview --target node\` runs it on your machine. Contents: \`sbom.cdx.json\`, \`THIRD-PARTY-LICENSES.txt\`.
`;
}
