import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../setup/root.js';
import { installOnce } from './install-once.js';
import { ensureLake } from './lake.js';
import { tried } from './tried.js';

const FOLDER = join(ROOT, 'build/lambda');
const RUNTIME = 'aws-lambda-ric@4.0.2';
const NPM = ['install', '--prefix', FOLDER, '--no-audit', '--no-fund', '--save-exact', RUNTIME];

/**
 * The folder of AWS's runtime for Node, which functions in container images have, beside the parts of a lake; null, and
 * the reason, if cmake, a compiler or the registry is missing.
 */
export async function ensureLambda() {
  const lake = await ensureLake();
  if (lake.bin === null) return lake;
  process.env.SVC_TEST_LAKE = lake.bin;
  const reason = await installOnce(FOLDER, [RUNTIME], install);
  return { bin: reason === '' ? FOLDER : null, reason };
}

function install() {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'package.json'), '{ "private": true }\n');
  // It compiles curl and its own client.
  return tried('npm', NPM, "npm could not install and compile AWS's runtime");
}
