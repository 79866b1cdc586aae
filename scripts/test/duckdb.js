import { join } from 'node:path';
import { ROOT } from '../setup/root.js';
import { installOnce } from './install-once.js';
import { tried } from './tried.js';

const FOLDER = join(ROOT, 'build/duckdb-python');
const PACKAGES = ['duckdb==2.0.0'];
const INSTALL = [
  '-m',
  'pip',
  'install',
  '--quiet',
  '--disable-pip-version-check',
  '--retries',
  '1',
  '--no-deps',
];

/** The folder for PYTHONPATH with a real DuckDB 2.0, installed on first use; and the reason where that did not work. */
export async function ensureDuckDb() {
  const reason = await installOnce(FOLDER, PACKAGES, () =>
    tried('python3', [...INSTALL, '--target', FOLDER, ...PACKAGES], 'pip could not install duckdb'),
  );
  if (reason !== '')
    console.error(`\n*** SKIPPED: the tests with a real DuckDB 2.0 did not run: ${reason} ***\n`);
  return { folder: FOLDER, reason };
}
