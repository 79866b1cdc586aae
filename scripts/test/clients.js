import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../setup/root.js';
import { installOnce } from './install-once.js';
import { tried } from './tried.js';

const FOLDER = join(ROOT, 'build/clients');
const BIN = join(FOLDER, 'node_modules/.bin');
/** They take 0.7 GB, so they are installed only on demand. */
const PACKAGES = ['@anthropic-ai/claude-code@2.1.197', '@google/gemini-cli@0.61.0', '@openai/codex@0.169.0'];
const INSTALL = ['install', '--prefix', FOLDER, '--no-audit', '--no-fund', '--save-exact', ...PACKAGES];

/** The folder of the real clients, installed on first use. Without a package index it is null, with the reason. */
export async function ensureClients() {
  const reason = await installOnce(FOLDER, PACKAGES, () => {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(join(FOLDER, 'package.json'), '{ "private": true }\n');
    return tried('npm', INSTALL, 'npm could not install the clients');
  });
  return { bin: reason === '' ? BIN : null, reason };
}
