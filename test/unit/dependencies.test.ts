import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NPM_PINS } from '../../scripts/test/npm-packages.js';
import { PYTHON_PINS } from '../../scripts/test/python-packages.js';
import { isAllowed } from '../licences.ts';

interface Locked {
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
}

const LOCK = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  readonly packages: Readonly<Record<string, Locked>>;
};
const LOCKED = Object.entries(LOCK.packages).filter(([path]) => path !== '');

/** Packages with other licences that nobody gets unasked, each with the reason to use it. */
const EXCEPTIONS: readonly {
  readonly path: RegExp;
  readonly license: string | null;
  readonly reason: string;
}[] = [
  {
    path: /@img\/sharp-/,
    license: 'LGPL-3.0-or-later',
    reason: 'images in local workerd, a part of wrangler; used in tests only',
  },
  { path: /\/axe-core$/, license: 'MPL-2.0', reason: 'checks pages in tests only' },
  { path: /\/lightningcss(-[\w-]+)?$/, license: 'MPL-2.0', reason: 'a part of vitest; used in tests only' },
  {
    path: /\/pyodide$/,
    license: 'MPL-2.0',
    reason: 'optional, installed by users for Python; artefacts contain it unchanged with its licence',
  },
  {
    path: /\/json-bignum$/,
    license: null,
    reason: 'names no licence in its package.json; a part of another development dependency',
  },
];

function exceptionOf(path: string, license: string | undefined) {
  return EXCEPTIONS.find(
    (one) =>
      one.path.test(path) &&
      (one.license === null ? license === undefined : (license ?? '').includes(one.license)),
  );
}

// Requirements: own.licences
describe('every locked package', () => {
  it('has an allowed licence, or is an exception with a reason', () => {
    const others = LOCKED.filter(
      ([path, { license }]) => !isAllowed(license ?? 'none') && exceptionOf(path, license) === undefined,
    );
    expect(others.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
  });

  it('is installed with its users only if the licence needs no exception', () => {
    const excepted = LOCKED.filter(([path, { license }]) => exceptionOf(path, license) !== undefined);
    expect(excepted.length).toBeGreaterThan(0);
    expect(excepted.filter(([, { dev }]) => dev !== true).map(([path]) => path)).toEqual([]);
  });

  it('has a hash', () => {
    expect(LOCKED.length).toBeGreaterThan(100);
    expect(
      LOCKED.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path),
    ).toEqual([]);
  });
});

// Requirements: own.licences
it('no exception is left without a package', () => {
  const unused = EXCEPTIONS.filter((one) => !LOCKED.some(([path]) => one.path.test(path)));
  expect(unused).toEqual([]);
});

// Requirements: own.pins
describe('every package that tests install besides', () => {
  const lists = readdirSync(PYTHON_PINS).filter((file) => file.endsWith('.in'));
  const sets = readdirSync(NPM_PINS);
  const read = (folder: string, file: string) => readFileSync(join(folder, file), 'utf8');

  it.each(lists)('has a version and hashes, as %s wants it', (file) => {
    const entries = read(PYTHON_PINS, file.replace(/\.in$/, '.txt')).replaceAll(' \\\n', ' ').split('\n');
    const packages = entries.filter((line) => line !== '' && !line.startsWith('#'));
    const entry = /^([\w.-]+==[\w.+!-]+)(?: ; [^-]+)?(?: +--hash=sha256:[0-9a-f]{64})+$/;
    expect(packages.filter((line) => !entry.test(line))).toEqual([]);
    const names = packages.map((line) => entry.exec(line)?.[1]);
    const wanted = read(PYTHON_PINS, file).trim().split('\n');
    expect(names).toEqual(expect.arrayContaining(wanted.map((line) => line.replace(/\[.*\]/, ''))));
  });

  it.each(sets)('has a hash in the lock file of %s, which is as its package.json wants it', (name) => {
    const { dependencies } = JSON.parse(read(NPM_PINS, `${name}/package.json`));
    const lock = JSON.parse(read(NPM_PINS, `${name}/package-lock.json`)) as typeof LOCK;
    const { '': own, ...locked } = lock.packages;
    expect(own).toMatchObject({ dependencies });
    expect(Object.values(dependencies).filter((version) => !/^\d+\.\d+\.\d+/.test(String(version)))).toEqual(
      [],
    );
    const bare = Object.entries(locked).filter(([, one]) => !one.integrity?.startsWith('sha512-'));
    expect(bare.map(([path]) => path)).toEqual([]);
  });
});
