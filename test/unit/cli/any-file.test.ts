import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { databaseFileOf, FILE_VERSIONS } from '../../fixtures/database-files.ts';
import { rawCall } from '../../matrix/raw.ts';
import { folder, Svc, svc } from './svc.ts';

// several programs start in each
vi.setConfig({ testTimeout: 120_000 });

const TOOL = `svc: 1
tool:
  name: animals
  description: Every animal
  source:
    code: SELECT id, name, born FROM animals ORDER BY id
  tests:
    - name: all
      result_contains_item: { id: 1, name: Ada, born: '2020-01-01' }
`;

const ENGINES = ['wasm', 'native'] as const;
const NEWER = /was written by DuckDB 2\.0\.0 in storage version 999\. svc has DuckDB 1\.5\.5/;
const STATEMENT = /ATTACH '.*-converted\.db' AS new \(STORAGE_VERSION 'v1\.0\.0'\);/;

/** A project whose one tool reads a table of the file, and its database of a version. */
function projectOf(version: string, engine: string): string {
  const root = folder();
  mkdirSync(join(root, 'tools'));
  writeFileSync(join(root, 'tools/animals.yml'), TOOL);
  writeFileSync(
    join(root, 'svc-site.yml'),
    `svc: 1\nproject: demo\nprofile: default\nprofiles: { default: { database: { path: a.db, readonly: true, engine: ${engine} } } }\n`,
  );
  writeFileSync(join(root, 'a.db'), databaseFileOf(version));
  return root;
}

/** The rows of the table, in exact JSON. */
const ROWS = [
  { id: 1, name: 'Ada', born: '2020-01-01' },
  { id: 2, name: 'Bo', born: null },
  { id: 3, name: 'Cy', born: '2021-02-03' },
];

/** The rows of a served call, or how the server ended without one. */
async function serve(cwd: string): Promise<unknown> {
  const server = new Svc(['serve', '--port', '0'], { cwd });
  const started = await server.until(/http:\/\/127\.0\.0\.1:\d+/).catch(() => null);
  if (started === null) return server.ended;
  const url = new URL('/mcp', started[0]);
  const { result } = JSON.parse(await rawCall({ kind: 'http', url }, 'animals'));
  server.child.kill('SIGTERM');
  await server.ended;
  return result.structuredContent;
}

/** The oldest form, and our own. */
const THOROUGH = ['1.0.0', '1.5.5'];
const READABLE = FILE_VERSIONS.filter((version) => version !== '2.0.0');

describe.each(ENGINES)('%s', (engine) => {
  it.each(READABLE.filter((version) => !THOROUGH.includes(version)))(
    'takes a file of %s',
    async (version) => {
      const { code, stdout } = await svc(['run', 'tool', 'animals', '--json'], projectOf(version, engine));
      expect([code, JSON.parse(stdout)]).toEqual([0, ROWS]);
    },
  );

  it.each(READABLE.filter((version) => THOROUGH.includes(version)))(
    'takes a file of %s in every command',
    async (version) => {
      const root = projectOf(version, engine);
      const ended = async (...args: readonly string[]) => {
        const result = await svc(args, root);
        expect({ args, ...result }).toMatchObject({ code: 0 });
        return result.stdout;
      };
      expect(await serve(root)).toEqual(ROWS);
      expect(await ended('validate')).toBe('ok: 1 endpoint\n');
      expect(JSON.parse(await ended('doctor', '--json')).checks).toContainEqual(
        expect.objectContaining({
          name: 'database',
          status: 'ok',
          message: expect.stringContaining(`(${engine},`),
        }),
      );
      expect(JSON.parse(await ended('run', 'tool', 'animals', '--json'))).toEqual(ROWS);
      expect(JSON.parse(await ended('test', '--json'))).toMatchObject({ status: 'ok', tests_run: 1 });
      expect(JSON.parse(await ended('query', 'SELECT count(*) AS n FROM animals', '--json'))).toEqual([
        { n: 3 },
      ]);
      await ended('build', '--target', 'node', '--json');
      expect(existsSync(join(root, 'build/node'))).toBe(true);
    },
  );

  it('refuses a file of 2.0 everywhere with the versions and the statements', async () => {
    const root = projectOf('2.0.0', engine);
    for (const command of [
      ['run', 'tool', 'animals'],
      ['test'],
      ['query', 'SELECT 1'],
      ['build', '--target', 'node'],
    ]) {
      const { code, stdout, stderr } = await svc(command, root);
      expect({ command, code, text: stdout + stderr }).toEqual({
        command,
        code: 1,
        text: expect.stringMatching(NEWER),
      });
      expect(stdout + stderr).toMatch(STATEMENT);
    }
    expect(await serve(root)).toMatchObject({ code: 1, stderr: expect.stringMatching(NEWER) });
    const validated = await svc(['validate', '--json'], root);
    expect([validated.code, JSON.parse(validated.stdout).findings]).toEqual([
      1,
      [
        expect.objectContaining({
          severity: 'error',
          code: 'database-unreadable',
          message: expect.stringMatching(NEWER),
          fix: expect.stringMatching(STATEMENT),
        }),
      ],
    ]);
    const doctor = await svc(['doctor', '--json'], root);
    expect([doctor.code, JSON.parse(doctor.stdout).checks]).toEqual([
      1,
      expect.arrayContaining([
        expect.objectContaining({
          name: 'database',
          status: 'problem',
          message: expect.stringMatching(NEWER),
          fix: expect.stringMatching(STATEMENT),
        }),
      ]),
    ]);
  });
});

it('ends at once where the database is a pipe or the audit log cannot have a folder', async () => {
  const root = projectOf('1.5.5', 'wasm');
  const audit = 'audit: { enabled: true, path: /proc/none/audit.jsonl }, ';
  const site = readFileSync(join(root, 'svc-site.yml'), 'utf8');
  writeFileSync(join(root, 'svc-site.yml'), site.replace('database:', `${audit}database:`));
  expect(await svc(['serve', '--port', '0'], root)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('/proc/none'),
  });
  writeFileSync(join(root, 'svc-site.yml'), site);
  execFileSync('mkfifo', [join(root, 'pipe')]);
  const env = { SVC_DATABASE_PATH: 'pipe' };
  for (const command of [['serve', '--port', '0'], ['validate'], ['doctor'], ['build', '--target', 'node']]) {
    const { code, stdout, stderr } = await svc(command, root, env);
    expect({ command, code, text: stdout + stderr }).toEqual({
      command,
      code: 1,
      text: expect.stringMatching(/is a pipe, not a DuckDB database/),
    });
  }
});
