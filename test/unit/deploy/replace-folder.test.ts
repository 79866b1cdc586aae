import { existsSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { replaceFolder } from '../../../deploy/replace-folder.ts';

const MANIFEST = JSON.stringify({ svc: 1, hash: 'h', catalog: {} });
let parent: string;
let out: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'svc-folder-'));
  out = join(parent, 'build', 'node');
});

const write = (name: string, text: string) => async (folder: string) => {
  await writeFile(join(folder, 'manifest.json'), MANIFEST);
  await writeFile(join(folder, name), text);
  return name;
};

/** The names in the folder that are not hidden. */
const shown = async () => (await readdir(out)).filter((name) => !name.startsWith('.')).toSorted();

test('the folder is made with its parents, and nothing else is left beside it', async () => {
  expect(await replaceFolder(out, write('index.js', '1'))).toBe('index.js');
  expect(await shown()).toEqual(['index.js', 'manifest.json']);
  expect(await readdir(join(parent, 'build'))).toEqual(['node']);
});

test('a second build replaces the first; local files whose names begin with a dot stay', async () => {
  await replaceFolder(out, write('old.js', '1'));
  await writeFile(join(out, '.dev.vars'), 'A=1');
  await mkdir(join(out, '.wrangler/state'), { recursive: true });
  await replaceFolder(out, write('new.js', '2'));
  expect(await shown()).toEqual(['manifest.json', 'new.js']);
  expect(existsSync(join(out, '.wrangler/state'))).toBe(true);
  expect(await readFile(join(out, '.dev.vars'), 'utf8')).toBe('A=1');
});

test('hidden files that the build writes are new, and others in their folder stay', async () => {
  const writeHidden = (text: string) => async (folder: string) => {
    await write('.dockerignore', text)(folder);
    await mkdir(join(folder, '.vercel/output'), { recursive: true });
    await writeFile(join(folder, '.vercel/output', `${text}.json`), text);
  };
  await replaceFolder(out, writeHidden('1'));
  await writeFile(join(out, '.vercel/project.json'), 'link');
  await replaceFolder(out, writeHidden('2'));
  expect(await readFile(join(out, '.dockerignore'), 'utf8')).toBe('2');
  expect(await readFile(join(out, '.vercel/project.json'), 'utf8')).toBe('link');
  expect(await readdir(join(out, '.vercel/output'))).toEqual(['2.json']);
});

test('a build that fails leaves the older one as it was', async () => {
  await replaceFolder(out, write('old.js', '1'));
  const failing = replaceFolder(out, async (folder) => {
    await writeFile(join(folder, 'half.js'), '');
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await shown()).toEqual(['manifest.json', 'old.js']);
  expect(await readdir(join(parent, 'build'))).toEqual(['node']);
});

test('a folder with files of somebody else is refused', async () => {
  await mkdir(out, { recursive: true });
  await writeFile(join(out, 'thesis.txt'), 'years of work');
  await expect(replaceFolder(out, write('a', '1'))).rejects.toThrow(/did not write/);
  expect(await readdir(out)).toEqual(['thesis.txt']);
});

test('a file is refused, and stays', async () => {
  out = join(parent, 'seed.sql');
  await writeFile(out, 'CREATE TABLE orders (id INTEGER)');
  await expect(replaceFolder(out, write('a', '1'))).rejects.toThrow(
    /seed\.sql is a file\. Choose a folder with --out\./,
  );
  expect(await readFile(out, 'utf8')).toBe('CREATE TABLE orders (id INTEGER)');
  expect(await readdir(parent)).toEqual(['seed.sql']);
});

test('files that the last build did not write stay; a user file does not, because the program would read it', async () => {
  await replaceFolder(out, write('old.js', '1'));
  await writeFile(join(out, 'samconfig.toml'), 'stack_name = "shop"');
  await mkdir(join(out, 'notes'));
  await writeFile(join(out, 'config.yml'), 'svc: 1');
  await writeFile(join(out, 'new.js'), 'mine');
  await replaceFolder(out, write('new.js', '2'));
  expect(await shown()).toEqual(['manifest.json', 'new.js', 'notes', 'samconfig.toml']);
  expect(await readFile(join(out, 'new.js'), 'utf8')).toBe('2');
  await replaceFolder(out, write('third.js', '3'));
  expect(await shown()).toEqual(['manifest.json', 'notes', 'samconfig.toml', 'third.js']);
});

/** A build that writes these files. */
const writeFiles =
  (...paths: readonly string[]) =>
  async (folder: string) => {
    for (const path of ['manifest.json', ...paths]) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), path === 'manifest.json' ? MANIFEST : 'built');
    }
  };

/** All files and empty folders of the artefact, but for the manifest and the list of the build. */
const everything = async () => {
  const entries = await readdir(out, { recursive: true, withFileTypes: true });
  const paths = entries.map(({ parentPath, name }) => relative(out, join(parentPath, name)));
  const ends = paths.filter((path) => !paths.some((other) => other.startsWith(`${path}/`)));
  return ends.filter((path) => path !== 'manifest.json' && path !== '.svc-build.json').toSorted();
};

const addMine = async (...paths: readonly string[]) => {
  for (const path of paths) {
    await mkdir(dirname(join(out, path)), { recursive: true });
    await writeFile(join(out, path), 'mine');
  }
};

test('files of people stay in every folder of the artefact, and files that are built no longer go', async () => {
  await replaceFolder(
    out,
    writeFiles('assets/data.duckdb', 'project/a/old.py', 'python/index.js', '.vercel/a/old.js'),
  );
  await mkdir(join(out, 'assets/.well-known'));
  const mine = ['.vercel/a/b/mine.js', 'assets/mine.txt', 'project/a/mine/z.py', 'python/.dev.vars'];
  await addMine(...mine, 'assets/data.duckdb.wal', 'project/a/new.py');
  for (let round = 0; round < 2; round += 1) {
    await replaceFolder(out, writeFiles('assets/data.duckdb', 'project/a/new.py', '.vercel/a/new.js'));
    const built = ['.vercel/a/new.js', 'assets/data.duckdb', 'project/a/new.py'];
    expect(await everything()).toEqual([...mine, 'assets/.well-known', ...built].toSorted());
    expect(await readFile(join(out, 'project/a/new.py'), 'utf8')).toBe('built');
  }
});

test('a file and a folder of the same name are as the new build has them', async () => {
  await replaceFolder(out, writeFiles('one/a.js', 'two'));
  await addMine('one/mine.js');
  await replaceFolder(out, writeFiles('one', 'two/a.js'));
  expect(await everything()).toEqual(['one', 'two/a.js']);
});

test('a folder that an older build listed by its name goes with its contents; a hidden one keeps them', async () => {
  await replaceFolder(out, writeFiles('assets/old.bin', 'index.js', '.vercel/output/old.js'));
  await writeFile(join(out, '.svc-build.json'), '[".vercel","assets","index.js","manifest.json"]');
  await addMine('samconfig.toml', '.vercel/project.json');
  await replaceFolder(out, writeFiles('assets/new.bin', '.vercel/output/new.js'));
  expect(await everything()).toEqual([
    '.vercel/output/new.js',
    '.vercel/output/old.js',
    '.vercel/project.json',
    'assets/new.bin',
    'samconfig.toml',
  ]);
});

test('without a list of the last build, only hidden files stay', async () => {
  await replaceFolder(out, writeFiles('old.js'));
  await rm(join(out, '.svc-build.json'));
  await addMine('.dev.vars', 'samconfig.toml');
  await replaceFolder(out, writeFiles('new.js'));
  expect(await everything()).toEqual(['.dev.vars', 'new.js']);
});

test('the log of a replaced database does not stay: it would be applied to the new one', async () => {
  await replaceFolder(out, write('data.duckdb', '1'));
  for (const log of ['data.duckdb.wal', 'data.duckdb.wal.checkpoint', 'mine.duckdb.wal'])
    await writeFile(join(out, log), 'rows');
  await replaceFolder(out, write('data.duckdb', '2'));
  expect(await shown()).toEqual(['data.duckdb', 'manifest.json', 'mine.duckdb.wal']);
});

test('a link to a folder stays, and the folder behind it is replaced', async () => {
  const real = await mkdtemp(join(tmpdir(), 'svc-behind-'));
  await writeFile(join(real, '.dev.vars'), 'A=1');
  await mkdir(join(parent, 'build'));
  await symlink(real, out);
  await replaceFolder(out, write('index.js', '1'));
  expect((await lstat(out)).isSymbolicLink()).toBe(true);
  expect((await readdir(real)).filter((name) => name !== '.svc-build.json').toSorted()).toEqual([
    '.dev.vars',
    'index.js',
    'manifest.json',
  ]);
  expect(await readdir(join(parent, 'build'))).toEqual(['node']);
  await rm(real, { recursive: true });
  await replaceFolder(out, write('index.js', '2'));
  expect(await readFile(join(real, 'index.js'), 'utf8')).toBe('2');
});

test('builds that end at the same moment leave one whole folder, the local files, and nothing else', async () => {
  await replaceFolder(out, write('old.js', '1'));
  await writeFile(join(out, '.dev.vars'), 'A=1');
  for (let round = 0; round < 20; round += 1) {
    await Promise.all(['a.js', 'b.js', 'c.js'].map((name) => replaceFolder(out, write(name, name))));
    expect(await shown()).toHaveLength(2);
    expect(await readFile(join(out, '.dev.vars'), 'utf8')).toBe('A=1');
  }
  expect(await readdir(join(parent, 'build'))).toEqual(['node']);
});

test('the unfinished folder is announced until the build has ended', async () => {
  const announced: string[] = [];
  const build = (end: () => void) =>
    replaceFolder(
      out,
      async (folder) => {
        expect(announced).toContain(folder);
        end();
      },
      (folders) => {
        announced.push(...folders);
        return () => void announced.splice(0);
      },
    );
  await build(() => {});
  expect(announced).toEqual([]);
  await expect(
    build(() => {
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  expect(announced).toEqual([]);
});
