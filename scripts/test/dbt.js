import { join } from 'node:path';
import { ROOT } from '../setup/root.js';
import { installOnce } from './install-once.js';
import { tried } from './tried.js';

const VENV = join(ROOT, 'build/dbt-venv');
const BIN = join(VENV, process.platform === 'win32' ? 'Scripts' : 'bin');
/** dbt uses the DuckDB version of both engines, so that they can read its files. */
const PACKAGES = ['dbt-core==1.10.15', 'dbt-duckdb==1.10.0', 'duckdb==1.5.5'];
const INSTALL = ['install', '--quiet', '--disable-pip-version-check', '--retries', '1', ...PACKAGES];

/**
 * The folder of a real dbt, installed on first use. Without python3 or a package index it is null, with the reason.
 */
export async function ensureDbt() {
  const reason = await installOnce(VENV, PACKAGES, async () => {
    const made = await tried('python3', ['-m', 'venv', VENV], 'there is no python3 with venv');
    return made === '' ? tried(join(BIN, 'pip'), INSTALL, 'pip could not install dbt') : made;
  });
  return { bin: reason === '' ? BIN : null, reason };
}
