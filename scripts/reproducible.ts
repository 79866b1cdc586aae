import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { TARGET_NAMES } from '../deploy/targets/targets.ts';

/*
 * `npm run check:reproducible`: builds the package and an artefact of each target from two clones of the last commit, and
 * compares each file. The clones differ in path, user, umask, time zone and language. They get a copy of node_modules.
 */

const NOBODY = 65_534;
const IS_ROOT = process.getuid?.() === 0;
/** The projects, and the checks that may fail: an artefact's database is read-only, and two tools of the shop write. */
const PROJECTS = [
  { project: 'hello', options: ['--public'] },
  { project: 'shop', options: ['--public', '--allow', 'target'] },
];

interface Place {
  readonly checkout: string;
  readonly umask: string;
  readonly user: number | null;
  readonly env: Readonly<Record<string, string>>;
}

const root = mkdtempSync(join(tmpdir(), 'svc-reproducible-'));
chmodSync(root, 0o755);
const PLACES: readonly Place[] = [
  { checkout: join(root, 'one'), umask: '022', user: null, env: { TZ: 'UTC', LC_ALL: 'C' } },
  {
    checkout: join(root, 'home of another/deeper/checkout'),
    umask: '077',
    user: IS_ROOT ? NOBODY : null,
    env: { TZ: 'Pacific/Auckland', LC_ALL: 'de_DE.UTF-8', LANG: 'de_DE.UTF-8' },
  },
];

try {
  process.exitCode = compare();
} finally {
  rmSync(root, { recursive: true, force: true });
}

function compare(): number {
  const bundle = join(root, 'checkout.bundle');
  execFileSync('git', ['bundle', 'create', '--quiet', bundle, 'HEAD']);
  chmodSync(bundle, 0o644);
  const [first = {}, second = {}] = PLACES.map((place) => buildAll(place, bundle));
  const names = [...new Set([...Object.keys(first), ...Object.keys(second)])].toSorted();
  const different = names.filter((name) => first[name] !== second[name]);
  for (const name of different) console.log(`differs: ${name}`);
  const users = IS_ROOT ? 'two users' : 'the same user, because only root can be another';
  console.log(
    `${names.length} files from two checkouts, by ${users}: ${names.length - different.length} are the same bytes`,
  );
  return different.length === 0 && names.length > 0 ? 0 : 1;
}

/** Builds everything in a clone. Returns the SHA-256 of each file by its path. */
function buildAll(place: Place, bundle: string): Readonly<Record<string, string>> {
  const { checkout, user } = place;
  mkdirSync(dirname(checkout), { recursive: true });
  if (user !== null) execFileSync('chown', ['-R', `${user}:${user}`, dirname(checkout)]);
  runIn(place, dirname(checkout), ['git', 'clone', '--quiet', bundle, checkout]);
  execFileSync('cp', ['-a', 'node_modules', checkout]);
  if (user !== null) {
    execFileSync('chown', ['-R', `${user}:${user}`, join(checkout, 'node_modules')]);
    execFileSync('chmod', ['-R', 'go=', join(checkout, 'node_modules')]);
  }
  const out = join(checkout, 'build/compared');
  runIn(place, checkout, ['mkdir', '-p', out]);
  runIn(place, checkout, ['npm', 'pack', '--silent', '--pack-destination', out]);
  for (const { project, options } of PROJECTS) {
    for (const target of TARGET_NAMES) {
      const to = join(out, project, target);
      const command = ['node', join(checkout, 'cli/svc.js'), 'build', '--target', target, '--out', to];
      runIn(place, join(checkout, 'examples', project), [...command, ...options]);
    }
  }
  return digests(out);
}

/** Runs a program as the user of a place. If it fails, throws an error with its output. */
function runIn({ checkout, umask, user, env }: Place, cwd: string, command: readonly string[]): void {
  const as = user === null ? [] : ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'];
  const [program = '', ...args] = [...as, 'sh', '-c', `umask ${umask} && exec "$@"`, 'sh', ...command];
  const HOME = join(dirname(checkout), 'home');
  const all = { PATH: process.env.PATH, HOME, npm_config_cache: join(HOME, '.npm'), ...env };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env: all, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command.join(' ')} failed:\n${stdout}\n${stderr}`);
}

function digests(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    files.map((file) => [
      file.slice(folder.length + 1),
      createHash('sha256').update(readFileSync(file)).digest('hex'),
    ]),
  );
}
