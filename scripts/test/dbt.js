import { join } from 'node:path';
import { ROOT } from '../setup/root.js';
import { installOnce } from './install-once.js';
import { installPython, pythonPins } from './python-packages.js';

const VENV = join(ROOT, 'build/dbt-venv');
const BIN = join(VENV, process.platform === 'win32' ? 'Scripts' : 'bin');

/**
 * The folder of a real dbt, installed on first use. It has the DuckDB version of both engines, so that they can read its
 * files. Without python3 or a package index it is null, with the reason.
 */
export async function ensureDbt() {
  const reason = await installOnce(VENV, [pythonPins('dbt')], () => installPython('dbt', VENV));
  return { bin: reason === '' ? BIN : null, reason };
}
