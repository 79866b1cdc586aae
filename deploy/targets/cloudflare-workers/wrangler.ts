import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify, TomlError, type TomlTable } from 'smol-toml';
import { SvcError } from '../../../src/errors.ts';
import { CONFIG_FILE, type Contents, type ProjectFacts, toDeploymentName } from '../target.ts';
import { bucketName } from './bucket.ts';

const COMPATIBILITY_DATE = '2026-10-20';

/** `wrangler.toml` of the Worker that serves MCP. */
export function wranglerToml(facts: ProjectFacts): string {
  const { project, callers, config = false, python = false } = facts;
  const texts = ['manifest.json', ...(config ? [CONFIG_FILE] : [])].map((name) => `"${name}"`).join(', ');
  const stored = facts.remote?.store === 'r2';
  return `# npx wrangler deploy${stored ? ', after the upload of the database: see README.md' : ''}
# Callers: ${callers}
name = "${toDeploymentName(project)}"
main = "index.js"
compatibility_date = "${COMPATIBILITY_DATE}"
# the files are uploaded as they were built
no_bundle = true
find_additional_modules = true

${stored ? bucketBinding(project) : ASSETS}
[[rules]]
type = "Text"
globs = [${texts}]
fallthrough = false

[limits]
cpu_ms = 30000

[observability]
enabled = true
${python ? pythonBinding(project) : ''}`;
}

const ASSETS = `# The database is an asset that only the Worker reads: every request goes to the Worker first, which answers 404.
[assets]
directory = "assets"
binding = "ASSETS"
run_worker_first = true
`;

function bucketBinding(project: string): string {
  return `# The database is an object in this bucket.
[[r2_buckets]]
binding = "DATABASE"
bucket_name = "${bucketName(project)}"
`;
}

const WRANGLER = 'wrangler.toml';

/**
 * Takes the bindings of D1 databases over from an older `wrangler.toml`, because no other file names them. Throws if that
 * file is not TOML.
 */
export async function keepDatabases(files: Contents, older: string): Promise<Contents> {
  const path = join(older, WRANGLER);
  const { env, ...whole } = parseToml(await readFile(path, 'utf8').catch(() => ''), path);
  const environments = Object.entries(isTable(env) ? env : {}).flatMap(([name, one]) => {
    const databases = isTable(one) ? databasesOf(one) : [];
    return databases.length > 0 ? [[name, { d1_databases: databases }] as const] : [];
  });
  const databases = databasesOf(whole);
  const kept = {
    ...(databases.length > 0 ? { d1_databases: databases } : {}),
    ...(environments.length > 0 ? { env: Object.fromEntries(environments) } : {}),
  };
  if (Object.keys(kept).length === 0) return files;
  return { ...files, [WRANGLER]: `${files[WRANGLER]}\n${stringify(kept)}` };
}

function databasesOf({ d1_databases: found }: TomlTable): readonly TomlTable[] {
  return Array.isArray(found) ? found.filter(isTable) : [];
}

function isTable(value: unknown): value is TomlTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function parseToml(text: string, path: string): TomlTable {
  try {
    return parse(text, { integersAsBigInt: 'asNeeded' });
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    const fix = 'Correct it, or remove it if it names no D1 database.';
    throw new SvcError('usage', `${path}:${cause.line}:${cause.column}: the file is not TOML. ${fix}`, {
      cause,
    });
  }
}

function pythonBinding(project: string): string {
  return `
# The modules below python/ belong to the other Worker.
[[rules]]
type = "CompiledWasm"
globs = ["*.wasm"]
fallthrough = false

[[services]]
binding = "PYTHON"
service = "${toDeploymentName(project)}-python"
entrypoint = "Python"
`;
}

/** `wrangler.toml` of the second Worker, which runs Python endpoints. */
export function pythonWranglerToml({ project }: ProjectFacts): string {
  return `# npx wrangler deploy -c python/wrangler.toml, before the other one
name = "${toDeploymentName(project)}-python"
main = "index.js"
compatibility_date = "${COMPATIBILITY_DATE}"
no_bundle = true
find_additional_modules = true
# only the Worker that it is bound to can reach it
workers_dev = false
preview_urls = false

[assets]
directory = "assets"
binding = "ASSETS"
run_worker_first = true

[[rules]]
type = "Text"
globs = ["python.json"]
fallthrough = false

[limits]
cpu_ms = 30000
`;
}
