import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../setup/root.js';
import { tried } from './tried.js';

const VENV = join(ROOT, 'build/dbt-venv');
const BIN = join(VENV, process.platform === 'win32' ? 'Scripts' : 'bin');
const STAMP = join(VENV, '.installed');
/** dbt's duckdb is of the version that both engines have, so that they read its files. */
const PACKAGES = ['dbt-core==1.10.15', 'dbt-duckdb==1.10.0', 'duckdb==1.4.4'];

/** The folder of a real dbt, installed on first use; null, and the reason, where python3 or a package index is missing. */
export async function ensureDbt() {
  const wanted = PACKAGES.join('\n');
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) return { bin: BIN, reason: '' };
  rmSync(VENV, { recursive: true, force: true });
  const made = await tried('python3', ['-m', 'venv', VENV], 'there is no python3 with venv');
  if (made !== '') return { bin: null, reason: made };
  const install = ['install', '--quiet', '--disable-pip-version-check', '--retries', '1', ...PACKAGES];
  const installed = await tried(join(BIN, 'pip'), install, 'pip could not install dbt');
  if (installed !== '') return { bin: null, reason: installed };
  writeFileSync(STAMP, wanted);
  return { bin: BIN, reason: '' };
}
