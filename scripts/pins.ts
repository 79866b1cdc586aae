import { execFile } from 'node:child_process';
import { copyFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { mergePins, type Pin, toRequirements } from './pins/requirements.ts';
import { NPM_PINS } from './test/npm-packages.js';
import { PYTHON_PINS } from './test/python-packages.js';

/*
 * `npm run pins [-- python/dbt npm/lake ...]`: resolves the packages that tests install and that package-lock.json does
 * not have, and writes the version and the hashes of each of them and of its dependencies. What is wanted is in
 * `scripts/test/python/<name>.in` and in `scripts/test/npm/<name>/package.json`. Linux only.
 */

const run = promisify(execFile);
const MOST_OUTPUT = 2 ** 28;

/** The versions of Python that Debian 12, Ubuntu 24.04 and Debian 13 have. Markers of dependencies ask for them. */
const PYTHONS = ['3.11', '3.12', '3.13'];
/** The versions of glibc that a wheel may need on these systems, as pip names them. */
const PLATFORMS = [
  ...Array.from({ length: 20 }, (_, index) => `manylinux_2_${36 - index}`),
  'manylinux2014',
  'linux',
];
/** Lists without the packages' own dependencies. */
const ALONE = ['fts', 'fts-old'];
const PIP = [
  '-m',
  'pip',
  'install',
  '--quiet',
  '--disable-pip-version-check',
  '--dry-run',
  '--ignore-installed',
];
const REPORT = ['--only-binary=:all:', '--report', '-'];

const asked = process.argv.slice(2);
const isAsked = (name: string) => asked.length === 0 || asked.includes(name);

for (const file of readdirSync(PYTHON_PINS).filter((one) => one.endsWith('.in'))) {
  const name = basename(file, '.in');
  if (isAsked(`python/${name}`)) await pinPython(name);
}
for (const name of readdirSync(NPM_PINS)) if (isAsked(`npm/${name}`)) await pinNpm(name);

async function pinPython(name: string): Promise<void> {
  const wanted = ['-r', join(PYTHON_PINS, `${name}.in`), ...(ALONE.includes(name) ? ['--no-deps'] : [])];
  const resolve = async (python: string) => ({ python, packages: await report(python, wanted) });
  const pins = mergePins(await Promise.all(PYTHONS.map(resolve)), PYTHONS);
  await Promise.all(PYTHONS.map((python) => addHashes(pins, python)));
  writeFileSync(join(PYTHON_PINS, `${name}.txt`), toRequirements(pins, PYTHONS));
  console.log(`python/${name}: ${pins.length} packages`);
}

/** Adds the hashes of wheels for the other processor. Says which packages have none. */
async function addHashes(pins: readonly Pin[], python: string): Promise<void> {
  const architecture = process.arch === 'arm64' ? 'x86_64' : 'aarch64';
  const target = PLATFORMS.flatMap((one) => ['--platform', `${one}_${architecture}`]);
  const place = ['--python-version', python, '--implementation', 'cp', '--target', 'build', ...target];
  const find = async (some: readonly Pin[]): Promise<void> => {
    const names = some.map((pin) => `${pin.name}==${pin.version}`);
    const found = await report(python, [...place, '--no-deps', ...names]).catch(() => null);
    for (const { name, hash } of found ?? []) some.find((pin) => pin.name === name)?.hashes.add(hash);
    if (found !== null) return;
    if (some.length === 1) return console.log(`${names}: no wheel for ${architecture}`);
    // pip does not name the package that has none.
    const half = Math.ceil(some.length / 2);
    await find(some.slice(0, half));
    await find(some.slice(half));
  };
  const own = pins.filter(({ pythons, anywhere }) => !anywhere && pythons.includes(python));
  if (own.length > 0) await find(own);
}

/** The packages that pip would install with one version of Python. */
async function report(python: string, args: readonly string[]) {
  const { stdout } = await run(`python${python}`, [...PIP, ...REPORT, ...args], { maxBuffer: MOST_OUTPUT });
  const { install } = JSON.parse(stdout) as { readonly install: readonly Reported[] };
  return install.map(({ metadata, download_info }) => ({
    name: metadata.name.toLowerCase().replaceAll(/[._]/g, '-'),
    version: metadata.version,
    hash: download_info.archive_info.hashes.sha256,
    anywhere: download_info.url.endsWith('-none-any.whl'),
  }));
}

/** A package in pip's report (https://pip.pypa.io/en/stable/reference/installation-report/). */
interface Reported {
  readonly metadata: { readonly name: string; readonly version: string };
  readonly download_info: {
    readonly url: string;
    readonly archive_info: { readonly hashes: { readonly sha256: string } };
  };
}

async function pinNpm(name: string): Promise<void> {
  const [own, folder] = [join(NPM_PINS, name), mkdtempSync(join(tmpdir(), 'svc-pins-'))];
  try {
    cpSync(own, folder, { recursive: true });
    rmSync(join(folder, 'package-lock.json'), { force: true });
    const options = ['--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'];
    // npm prefers versions that fit the Node that runs it.
    const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
    await run('npm', ['install', ...options], { cwd: folder, env: { ...process.env, PATH } });
    copyFileSync(join(folder, 'package-lock.json'), join(own, 'package-lock.json'));
    const { packages } = JSON.parse(readFileSync(join(own, 'package-lock.json'), 'utf8'));
    console.log(`npm/${name}: ${Object.keys(packages).length - 1} packages`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
