import { toSlug } from '../slug.ts';
import { CONFIG_FILE, type Target } from '../target.ts';

const SHIPPED = [
  'index.js',
  'engine-worker.js',
  'manifest.json',
  'data.duckdb',
  'duckdb.wasm',
  'trampolines.wasm',
  'LICENSE.duckdb.txt',
  'package.json',
];

/** A folder for Node or for a container. */
export const nodeTarget: Target = {
  runtime: 'node',
  bundles: { 'index.js': 'node/entry', 'engine-worker.js': 'duckdb-wasm/engine-worker' },
  database: 'data.duckdb',
  files: ({ project, version, config = false }) => ({
    'package.json': packageJson(project, version),
    Dockerfile: dockerfile(shipped(config)),
    '.dockerignore': `*\n${shipped(config)
      .map((file) => `!${file}\n`)
      .join('')}`,
    'README.md': readme(project),
  }),
  finish: async () => {},
  next: 'node index.js',
};

function packageJson(project: string, version: string): string {
  const scripts = { start: 'node index.js' };
  const engines = { node: '>=22.15' };
  return `${JSON.stringify({ name: toSlug(project), private: true, version, type: 'module', engines, scripts }, null, 2)}\n`;
}

function shipped(config: boolean): readonly string[] {
  return config ? [...SHIPPED, CONFIG_FILE] : SHIPPED;
}

function dockerfile(files: readonly string[]): string {
  return `FROM node:24-slim
WORKDIR /app
COPY ${files.join(' ')} ./
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8000
USER node
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=3s --start-period=10s \\
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "index.js"]
`;
}

function readme(project: string): string {
  return `# ${project} on Node

Run it with \`node index.js\` (\`PORT\` and \`HOST\` choose the address, \`--stdio\` serves a desktop client), or as a container: \`docker build -t ${toSlug(project)} . && docker run -p 8000:8000 ${toSlug(project)}\`.
`;
}
