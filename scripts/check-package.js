import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './setup/root.js';
import { installOnce } from './test/install-once.js';
import { installNpm, npmPins } from './test/npm-packages.js';

/*
 * `npm run check:package`: packs this checkout, and reads the package with publint and @arethetypeswrong/cli. They are
 * installed under build/ on first use.
 */

const BUILD = join(ROOT, 'build');
const FOLDER = join(BUILD, 'package-checks');
const CHECKS = [
  ['publint', '--strict'],
  ['attw', '--profile', 'esm-only'],
];

const reason = await installOnce(FOLDER, [npmPins('package-checks')], () =>
  installNpm('package-checks', FOLDER),
);
if (reason !== '') throw new Error(reason);
const options = { cwd: ROOT, encoding: 'utf8' };
const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', BUILD], options);
const archive = join(BUILD, packed.trim().split('\n').at(-1));
for (const [program, ...args] of CHECKS) {
  execFileSync(join(FOLDER, 'node_modules/.bin', program), [...args, archive], { stdio: 'inherit' });
}
