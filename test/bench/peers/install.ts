import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installOnce } from '../../../scripts/test/install-once.js';
import { tried } from '../../../scripts/test/tried.js';

const FOLDER = fileURLToPath(new URL('../../../build/peers/', import.meta.url));

/** The packages of a peer and where they come from. */
export interface Packages {
  readonly from: 'PyPI' | 'npm';
  readonly names: readonly string[];
}

/** Where a peer was installed, or why it was not. */
export type Installed = { readonly folder: string } | { readonly reason: string };

/** Installs a peer into a folder of its own under build/, unless it is there. Wheels only: nothing is compiled. */
export async function install(name: string, { from, names }: Packages): Promise<Installed> {
  const folder = join(FOLDER, name);
  const reason = await installOnce(folder, names, () =>
    from === 'PyPI' ? pipInstall(folder, names) : npmInstall(folder, names),
  );
  return reason === '' ? { folder } : { reason };
}

async function pipInstall(folder: string, names: readonly string[]): Promise<string> {
  const made = await tried('python3', ['-m', 'venv', folder], 'there is no python3 with venv');
  if (made !== '') return made;
  const args = ['install', '--quiet', '--disable-pip-version-check', '--only-binary=:all:', ...names];
  return tried(join(folder, 'bin/pip'), args, 'pip could not install it');
}

async function npmInstall(folder: string, names: readonly string[]): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', ...names];
  return tried('npm', args, 'npm could not install it');
}
