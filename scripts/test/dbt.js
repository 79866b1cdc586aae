import { join } from 'node:path';
import { ROOT } from '../setup/root.js';
import { installOnce } from './install-once.js';
import { tried } from './tried.js';

const VENV = join(ROOT, 'build/dbt-venv');
const BIN = join(VENV, process.platform === 'win32' ? 'Scripts' : 'bin');
/** dbt's duckdb is of the version that both engines have, so that they read its files. */
const PACKAGES = ['dbt-core==1.10.15', 'dbt-duckdb==1.10.0', 'duckdb==1.5.5'];
const INSTALL = ['install', '--quiet', '--disable-pip-version-check', '--retries', '1', ...PACKAGES];

/** The folder of a real dbt, installed on first use; null, and the reason, where python3 or a package index is missing. */
export async function ensureDbt() {
  const reason = await installOnce(VENV, PACKAGES, async () => {
    const made = await tried('python3', ['-m', 'venv', VENV], 'there is no python3 with venv');
    return made === '' ? tried(join(BIN, 'pip'), INSTALL, 'pip could not install dbt') : made;
  });
  return { bin: reason === '' ? BIN : null, reason };
}
