import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../temporary-folder.ts';

const SOURCES = ['src', 'adapters', 'deploy', 'cli'];

/** A checkout with one line of code, on this checkout's dependencies. */
function checkout(): string {
  const root = temporaryFolder();
  cpSync('scripts', join(root, 'scripts'), { recursive: true });
  for (const file of ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json', 'package.json']) {
    cpSync(file, join(root, file));
  }
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
  for (const folder of SOURCES) {
    mkdirSync(join(root, folder));
    writeFileSync(join(root, folder, 'one.ts'), 'export const one: number = 1;\n');
  }
  mkdirSync(join(root, 'workbench'));
  cpSync('workbench/tsconfig.json', join(root, 'workbench/tsconfig.json'));
  writeFileSync(join(root, 'workbench/main.tsx'), 'export const page = 1;\n');
  mkdirSync(join(root, 'views'));
  writeFileSync(join(root, 'views/chart.ts'), 'export const drawn = 1;\n');
  return root;
}

function node(args: readonly string[], cwd: string): Promise<{ code: number | null; stderr: string }> {
  const child = spawn(process.execPath, args, { cwd });
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  return new Promise((done) => child.on('close', (code) => done({ code, stderr })));
}

const compiled = (root: string) =>
  SOURCES.filter((folder) => existsSync(join(root, 'dist', folder, 'one.js')));

describe('the set-up of a checkout', () => {
  it('compiles once, and again after a change', async () => {
    const root = checkout();
    const file = join(root, 'dist/src/one.js');
    expect((await node(['scripts/setup.js'], root)).code).toBe(0);
    expect(compiled(root)).toEqual(SOURCES);
    const first = statSync(file).ino;
    expect((await node(['scripts/setup.js'], root)).code).toBe(0);
    expect(statSync(file).ino).toBe(first);
    writeFileSync(join(root, 'src/one.ts'), 'export const two = 2;\n');
    expect((await node(['scripts/setup.js'], root)).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('two');
  });

  it('needs no compiler to start, and makes the imports that the compiler makes', async () => {
    const root = checkout();
    const forms = [
      "import type { A } from './a.ts';",
      "import { type B, c } from './c.ts';",
      "import './d.ts';",
      "export * from './e.ts';",
      "export const f = (): Promise<unknown> => import('./f.ts');",
      'export const g: A | B = c;',
    ].join('\n');
    writeFileSync(join(root, 'src/one.ts'), forms);
    const texts = {
      a: 'export type A = 1;',
      c: 'export type B = 2; export const c = 1;',
      d: '',
      e: '',
      f: '',
    };
    for (const [name, text] of Object.entries(texts)) {
      writeFileSync(join(root, `src/${name}.ts`), `${text}\nexport {};\n`);
    }
    const start = [
      '--input-type=module',
      '-e',
      "(await import('./scripts/setup.js')).setUp({ start: true })",
    ];
    const imports = () => readFileSync(join(root, 'dist/src/one.js'), 'utf8').match(/'?"?\.\/\w\.js'?"?/g);
    expect(await node(start, root)).toMatchObject({ code: 0 });
    const compiled = imports()?.map((name) => name.slice(1, -1));
    expect(compiled).toEqual(['./c.js', './d.js', './e.js', './f.js']);

    rmSync(join(root, 'node_modules'));
    mkdirSync(join(root, 'node_modules'));
    for (const name of ['esbuild', '@esbuild', 'preact']) {
      symlinkSync(resolve('node_modules', name), join(root, 'node_modules', name));
    }
    const lock = createHash('sha256')
      .update(readFileSync(join(root, 'package-lock.json')))
      .digest('hex');
    writeFileSync(join(root, 'node_modules/.svc-start-hash'), lock);
    // Types are not checked, which needs the packages of all tests.
    writeFileSync(join(root, 'src/a.ts'), 'export type A = Missing;\n');
    expect(await node(start, root)).toMatchObject({ code: 0 });
    expect(imports()?.map((name) => name.slice(1, -1))).toEqual(compiled);

    rmSync(join(root, 'node_modules'), { recursive: true });
    symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
    expect((await node(['scripts/setup.js'], root)).stderr).toContain('src/a.ts(1,17): error');
  });

  it('removes what compiles that were killed left behind, and nothing of one that runs', async () => {
    const root = checkout();
    const dead = spawn(process.execPath, ['-e', '']);
    await new Promise((ended) => dead.on('close', ended));
    const names = [`.dist-${dead.pid}`, `.dist-${process.pid}`, '.dist-1', 'node'];
    for (const name of names) mkdirSync(join(root, 'build', name, 'src'), { recursive: true });
    utimesSync(join(root, 'build/.dist-1'), 0, 0);
    expect((await node(['scripts/setup.js'], root)).code).toBe(0);
    expect(readdirSync(join(root, 'build')).toSorted()).toEqual([`.dist-${process.pid}`, 'node']);
  });

  it('leaves no old code behind when the new does not typecheck, and keeps the engine', async () => {
    const root = checkout();
    mkdirSync(join(root, 'dist/duckdb-wasm'), { recursive: true });
    writeFileSync(join(root, 'dist/duckdb-wasm/duckdb.wasm'), '');
    expect((await node(['scripts/setup.js'], root)).code).toBe(0);
    writeFileSync(join(root, 'src/one.ts'), 'export const one: number = "1";\n');
    const { code, stderr } = await node(['scripts/setup.js'], root);
    expect(code).toBe(1);
    expect(stderr).toMatch(/does not compile:\nsrc\/one\.ts\(1,14\): error TS2322/);
    expect(compiled(root)).toEqual([]);
    expect(existsSync(join(root, 'dist/duckdb-wasm/duckdb.wasm'))).toBe(true);
  });

  it('says what to do when the development Node is missing and cannot be installed', async () => {
    const root = checkout();
    rmSync(join(root, 'node_modules'));
    writeFileSync(join(root, 'package-lock.json'), '{ "broken": ');
    const { code, stderr } = await node(['scripts/setup.js'], root);
    expect(code).toBe(1);
    expect(stderr).toMatch(/`npm ci` failed.*\n.*needs the package registry once/);
  });
});

describe('exclusively', () => {
  const WORKER = `
    import { appendFileSync } from 'node:fs';
    const { exclusively } = await import('./scripts/setup/exclusive.js');
    await exclusively(async () => {
      appendFileSync('log', 'in ');
      await new Promise((resolve) => setImmediate(resolve));
      appendFileSync('log', 'out ');
    });`;

  it('lets one process in at a time, also past the lock of a dead one', async () => {
    const root = checkout();
    const dead = spawn(process.execPath, ['-e', '']);
    await new Promise((ended) => dead.on('close', ended));
    mkdirSync(join(root, 'build'));
    writeFileSync(join(root, 'build/.setup.lock'), String(dead.pid));
    const worker = ['--input-type=module', '-e', WORKER];
    const results = await Promise.all(Array.from({ length: 6 }, () => node(worker, root)));
    expect(results).toEqual(Array.from({ length: 6 }, () => ({ code: 0, stderr: '' })));
    expect(readFileSync(join(root, 'log'), 'utf8')).toBe('in out '.repeat(6));
    expect(existsSync(join(root, 'build/.setup.lock'))).toBe(false);
  });
});
