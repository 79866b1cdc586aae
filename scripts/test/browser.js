import { join } from 'node:path';
import { ROOT } from '../setup/root.js';
import { installOnce } from './install-once.js';
import { installNpm, npmPins } from './npm-packages.js';

const FOLDER = join(ROOT, 'build/browser');
const BIN = join(FOLDER, 'node_modules/.bin');

/**
 * The folder of the official host of MCP Apps with its peers, installed on first use. Without a package index it is null,
 * with the reason.
 */
export async function ensureBrowser() {
  const reason = await installOnce(FOLDER, [npmPins('browser')], () => installNpm('browser', FOLDER));
  return { bin: reason === '' ? BIN : null, reason };
}
