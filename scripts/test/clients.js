import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../setup/root.js';
import { tried } from './tried.js';

const FOLDER = join(ROOT, 'build/clients');
const BIN = join(FOLDER, 'node_modules/.bin');
const STAMP = join(FOLDER, '.installed');
/** Three quarters of a gigabyte, so they are installed on demand only. */
const PACKAGES = ['@anthropic-ai/claude-code@2.1.197', '@google/gemini-cli@0.61.0', '@openai/codex@0.169.0'];

/** The folder of the real clients, installed on first use; null, and the reason, where the package index is missing. */
export async function ensureClients() {
  const wanted = PACKAGES.join('\n');
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) return { bin: BIN, reason: '' };
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'package.json'), '{ "private": true }\n');
  const install = ['install', '--prefix', FOLDER, '--no-audit', '--no-fund', '--save-exact', ...PACKAGES];
  const installed = await tried('npm', install, 'npm could not install the clients');
  if (installed !== '') return { bin: null, reason: installed };
  writeFileSync(STAMP, wanted);
  return { bin: BIN, reason: '' };
}
