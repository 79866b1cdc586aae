import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../setup/root.js';
import { installOnce } from './install-once.js';
import { tried } from './tried.js';

const FOLDER = join(ROOT, 'build/browser');
const BIN = join(FOLDER, 'node_modules/.bin');
/** The official host of MCP Apps with its peers. */
const PACKAGES = [
  '@modelcontextprotocol/ext-apps@2.0.4',
  '@modelcontextprotocol/client@2.4.0',
  '@modelcontextprotocol/server@2.4.0',
  'zod@4.2.0',
];
const INSTALL = [
  'install',
  '--prefix',
  FOLDER,
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--save-exact',
];

/** The folder of the host's packages, installed on first use. Without a package index it is null, with the reason. */
export async function ensureBrowser() {
  const reason = await installOnce(FOLDER, PACKAGES, () => {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(join(FOLDER, 'package.json'), '{ "private": true }\n');
    return tried('npm', [...INSTALL, ...PACKAGES], 'npm could not install the host of MCP Apps');
  });
  return { bin: reason === '' ? BIN : null, reason };
}
