import { join } from 'node:path';
import { ROOT } from '../setup/root.js';
import { installOnce } from './install-once.js';
import { pipInstall, pythonPins } from './python-packages.js';

const FOLDER = join(ROOT, 'build/duckdb-python');

/** The folder for PYTHONPATH with a real DuckDB 2.0, installed on first use, and the reason if that failed. */
export async function ensureDuckDb() {
  const install = () => pipInstall('duckdb', ['--target', FOLDER]);
  const reason = await installOnce(FOLDER, [pythonPins('duckdb')], install);
  if (reason !== '')
    console.error(`\n*** SKIPPED: the tests with a real DuckDB 2.0 did not run: ${reason} ***\n`);
  return { folder: FOLDER, reason };
}
