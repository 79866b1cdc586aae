import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadDriver } from '../../../../../adapters/duckdb-native/driver/driver.ts';
import { temporaryFolder } from '../../../../temporary-folder.ts';

/** Loads and does nothing: the whole of DuckDB's C extension API that such an extension needs. */
const sourceOf = (name: string) => `#include <stdbool.h>
bool ${name}_init_c_api(void *info, void *access) { return info != 0 && access != 0; }
`;

/** Whether an extension can be built here. */
export function hasCompiler(): boolean {
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** A folder like DuckDB's extension repository with one extension of our own in it. */
export async function makeRepository(name: string): Promise<string> {
  const root = temporaryFolder();
  const { version, platform } = await engineOf();
  const folder = join(root, version, platform);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(root, 'extension.c'), sourceOf(name));
  const library = join(folder, `${name}.duckdb_extension`);
  execFileSync('cc', ['-shared', '-fPIC', '-o', library, join(root, 'extension.c')]);
  appendFileSync(library, toFooter(platform));
  return root;
}

async function engineOf() {
  const { openInstance } = await loadDriver();
  const instance = await openInstance(':memory:');
  const connection = await instance.connect();
  const one = async (sql: string) => String((await connection.runAndReadAll(sql)).getRows()[0]?.[0]);
  const engine = { version: await one('SELECT version()'), platform: await one('PRAGMA platform') };
  connection.closeSync();
  instance.closeSync();
  return engine;
}

/** What DuckDB looks for at the end of an extension: eight fields of 32 bytes, the last one first, and a signature. */
function toFooter(platform: string): Buffer {
  const fields = ['', '', '', 'C_STRUCT', 'v0.0.1', 'v1.2.0', platform, '4'];
  return Buffer.concat([
    ...fields.map((field) => Buffer.alloc(32, '\0').fill(field, 0, field.length)),
    Buffer.alloc(256),
  ]);
}
