import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MOST_TRIED = 12;

/** The releases of both packages that have one version of DuckDB. */
export interface Packages {
  readonly api: string;
  readonly wasm: string;
}

/** Finds both packages. Throws if one of them has no release of that version. */
export async function findPackages(version: string, folder: string): Promise<Packages> {
  const api = newestApi(version, await versionsOf('@duckdb/node-api'));
  if (api === undefined) throw new Error(`@duckdb/node-api has no release of DuckDB ${version}`);
  return { api, wasm: await findWasm(version, folder) };
}

/** The last release `<version>-r.<n>` of the native driver. */
export function newestApi(version: string, versions: readonly string[]): string | undefined {
  return versions
    .filter((each) => each.startsWith(`${version}-r.`))
    .sort(byNumbers)
    .at(-1);
}

/** The releases of the wasm package to look into: the newest first, test builds of the same number after it. */
export function candidates(versions: readonly string[]): readonly string[] {
  return [...versions]
    .filter((each) => /^\d+\.\d+\.\d+(-dev\d+\.\d+)?$/.test(each))
    .sort(byNumbers)
    .reverse();
}

function byNumbers(left: string, right: string): number {
  const [a, b] = [left, right].map((text) => (text.match(/\d+/g) ?? []).map(Number));
  // A release comes after its test builds, which have more numbers.
  for (let index = 0; index < Math.max(a?.length ?? 0, b?.length ?? 0); index += 1) {
    const difference = (a?.[index] ?? Number.POSITIVE_INFINITY) - (b?.[index] ?? Number.POSITIVE_INFINITY);
    if (difference !== 0 && !Number.isNaN(difference)) return difference;
  }
  return 0;
}

/** The registry does not say which DuckDB a release of the wasm package has, so each is downloaded and asked. */
async function findWasm(version: string, folder: string): Promise<string> {
  const tried: string[] = [];
  for (const candidate of candidates(await versionsOf('@duckdb/duckdb-wasm')).slice(0, MOST_TRIED)) {
    const found = await duckdbOf(candidate, folder);
    if (found === version) return candidate;
    tried.push(`${candidate}: ${found ?? 'unknown'}`);
  }
  throw new Error(
    `no release of @duckdb/duckdb-wasm has DuckDB ${version}; looked into\n${tried.join('\n')}`,
  );
}

async function duckdbOf(release: string, folder: string): Promise<string | undefined> {
  const { stdout } = await run('npm', ['pack', `@duckdb/duckdb-wasm@${release}`, '--silent'], {
    cwd: folder,
  });
  const archive = join(folder, stdout.trim());
  const file = 'package/dist/duckdb-eh.wasm';
  await run('tar', ['-xzf', archive, '-C', folder, file]);
  return engineVersion(await readFile(join(folder, file)));
}

/** The version of DuckDB that a build is: it knows the name of each version up to its own. */
export function engineVersion(engine: Uint8Array): string | undefined {
  const text = Buffer.from(engine.buffer, engine.byteOffset, engine.byteLength).toString('latin1');
  const known = [...text.matchAll(/\0v(\d+\.\d+\.\d+)(?=\0)/g)].map(([, version = '']) => version);
  return known.sort(byNumbers).at(-1);
}

async function versionsOf(name: string): Promise<readonly string[]> {
  const { stdout } = await run('npm', ['view', name, 'versions', '--json'], { maxBuffer: 64 * 2 ** 20 });
  return JSON.parse(stdout);
}
