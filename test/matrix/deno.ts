import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const BUILD = fileURLToPath(new URL('../../build', import.meta.url));
/** 90 MB, so only the tests that need it install it. */
const DENO = 'deno@2.9.6';

/** The folder whose `node_modules` has Deno, installed on first use. Throws if npm cannot install it. */
export async function ensureDeno(): Promise<string> {
  const folder = join(BUILD, DENO);
  if (existsSync(folder)) return folder;
  await mkdir(BUILD, { recursive: true });
  const fresh = await mkdtemp(join(BUILD, 'deno-'));
  await writeFile(join(fresh, 'package.json'), '{ "private": true }\n');
  await promisify(execFile)('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', DENO], {
    cwd: fresh,
  });
  try {
    await rename(fresh, folder);
  } catch (thrown) {
    // Another test file may have been faster.
    await rm(fresh, { recursive: true });
    if (!existsSync(folder)) throw thrown;
  }
  return folder;
}
