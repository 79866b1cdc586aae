import { join } from 'node:path';
import { ROOT } from '../setup/root.js';
import { installOnce } from './install-once.js';
import { ensureLake } from './lake.js';
import { installNpm, npmPins } from './npm-packages.js';

const FOLDER = join(ROOT, 'build/lambda');

/**
 * The folder of AWS's runtime for Node, which functions in container images have, beside the parts of a lake; null, and
 * the reason, if cmake, a compiler or the registry is missing.
 */
export async function ensureLambda() {
  const lake = await ensureLake();
  if (lake.bin === null) return lake;
  process.env.SVC_TEST_LAKE = lake.bin;
  // Its script compiles curl and its own client.
  const install = () => installNpm('lambda', FOLDER, { scripts: true });
  const reason = await installOnce(FOLDER, [npmPins('lambda')], install);
  return { bin: reason === '' ? FOLDER : null, reason };
}
