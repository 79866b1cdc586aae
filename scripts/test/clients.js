import { join } from 'node:path';
import { ROOT } from '../setup/root.js';
import { installOnce } from './install-once.js';
import { installNpm, npmPins } from './npm-packages.js';

const FOLDER = join(ROOT, 'build/clients');
const BIN = join(FOLDER, 'node_modules/.bin');

/**
 * The folder of the real clients, installed on first use, because they take 0.7 GB. Without a package index it is null,
 * with the reason.
 */
export async function ensureClients() {
  const install = () => installNpm('clients', FOLDER, { scripts: true });
  const reason = await installOnce(FOLDER, [npmPins('clients')], install);
  return { bin: reason === '' ? BIN : null, reason };
}
