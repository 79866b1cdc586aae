import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/project/finding.ts';
import { folder, project, svc } from './svc.ts';

const ZONED = `svc: 1
tool:
  name: zoned
  source:
    code: |
      SELECT 1 AS one,
        icu_sort_key('a', 'de') AS key
`;

const findingsOf = (stdout: string): Finding[] => JSON.parse(stdout).findings;

describe('svc validate --target', () => {
  it.each(['wasm', 'node', 'aws-lambda', 'cloudflare-workers', 'mcpb'])(
    'plans the SQL as %s serves it',
    async (target) => {
      const root = await project();
      writeFileSync(join(root, 'tools/zoned.yml'), ZONED);
      const { code, stdout } = await svc(['validate', '--target', target, '--json'], root);
      expect(code).toBe(1);
      expect(findingsOf(stdout)).toEqual([
        expect.objectContaining({
          severity: 'error',
          code: 'target-unsupported',
          file: 'tools/zoned.yml',
          line: 7,
          column: 9,
          message: expect.stringMatching(
            /duckdb-wasm.* does not have the function icu_sort_key.*extension icu/,
          ),
        }),
      ]);
      const [found] = findingsOf(stdout);
      if (target !== 'wasm') expect(found?.message).toContain(`${target} (`);
    },
  );

  it('has nothing against what native can do', async () => {
    const root = await project();
    writeFileSync(join(root, 'tools/zoned.yml'), ZONED);
    expect(await svc(['validate', '--target', 'native'], root)).toMatchObject({ code: 0 });
  });

  it('points at the line that the engine complains about', async () => {
    const root = await project();
    writeFileSync(
      join(root, 'tools/lost.yml'),
      'svc: 1\ntool:\n  name: lost\n  source:\n    code: |\n      SELECT *\n        FROM nowhere\n',
    );
    for (const target of ['native', 'wasm']) {
      const [found] = findingsOf((await svc(['validate', '--target', target, '--json'], root)).stdout);
      expect(found).toMatchObject({ file: 'tools/lost.yml', line: 7, column: 9 });
    }
  });

  it('finds what writes, and resources too', async () => {
    const root = await project();
    await svc(['query', 'CREATE TABLE t (n INTEGER)'], root, { SVC_READONLY: 'false' });
    writeFileSync(
      join(root, 'tools/add.yml'),
      'svc: 1\ntool: { name: add, source: { code: INSERT INTO t VALUES (1) } }\n',
    );
    writeFileSync(
      join(root, 'resources/lost.yml'),
      'svc: 1\nresource: { uri: "a://b", source: { code: SELECT * FROM nowhere } }\n',
    );
    const { code, stdout } = await svc(['validate', '--target', 'aws-lambda', '--json'], root);
    expect(code).toBe(1);
    expect(
      findingsOf(stdout).map(({ file, code: kind, message }) => [file, kind, message.split('\n')[0]]),
    ).toEqual([
      [
        'resources/lost.yml',
        'sql-failed',
        expect.stringMatching(/^On aws-lambda \(duckdb-wasm\): .*nowhere/),
      ],
      [
        'tools/add.yml',
        'target-unsupported',
        'On aws-lambda (duckdb-wasm): This statement writes (INSERT), but a database of the wasm engine is open read-only.',
      ],
    ]);
  });

  it('does not say of EXPLAIN that it writes', async () => {
    const root = await project();
    const file = 'tools/plan.yml';
    writeFileSync(join(root, file), 'svc: 1\ntool: { name: plan, source: { code: EXPLAIN SELECT 1 } }\n');
    const { stdout } = await svc(['validate', '--target', 'aws-lambda', '--json'], root);
    expect(findingsOf(stdout).map(({ message }) => message)).toEqual([
      'On aws-lambda (duckdb-wasm): Only queries run on a database of the wasm engine, which is open read-only, and EXPLAIN is none.',
    ]);
  });

  it('says of a write to a read-only database what would let it', async () => {
    const root = await project();
    writeFileSync(
      join(root, 'tools/add.yml'),
      'svc: 1\ntool: { name: add, source: { code: CREATE TABLE t (n INTEGER) } }\n',
    );
    const { stdout } = await svc(['validate', '--json'], root, { SVC_READONLY: 'true' });
    expect(findingsOf(stdout)).toEqual([
      expect.objectContaining({ file: 'tools/add.yml', fix: expect.stringContaining('`readonly: false`') }),
    ]);
  });

  // Requirements: command.validate
  it('finds extensions that the platform cannot load', async () => {
    const root = await project();
    appendFileSync(join(root, 'svc-site.yml'), '\nextensions: [spatial]\n');
    const { stdout } = await svc(['validate', '--target', 'cloudflare-workers', '--json'], root);
    expect(findingsOf(stdout)).toEqual([
      expect.objectContaining({ code: 'target-unsupported', message: expect.stringContaining('spatial') }),
    ]);
  });

  // Requirements: command.validate
  it('finds extensions that this machine cannot load, each at its place, with 1', async () => {
    const root = await project();
    const empty = folder();
    const env = { SVC_EXTENSION_REPOSITORY: empty, SVC_EXTENSION_DIRECTORY: empty };
    appendFileSync(join(root, 'svc-site.yml'), '\nextensions:\n  - json\n  - lost\n');
    rmSync(join(root, 'data'), { recursive: true });
    const { code, stdout } = await svc(['validate', '--json'], root, env);
    expect(code).toBe(1);
    expect(findingsOf(stdout)).toEqual([
      expect.objectContaining({
        severity: 'error',
        code: 'extension-unavailable',
        file: 'svc-site.yml',
        line: 13,
        message: expect.stringContaining('The extension lost cannot be loaded: there is no file'),
        fix: expect.stringContaining('SVC_EXTENSION_REPOSITORY'),
      }),
    ]);
  });

  it('refuses a target that is none, with 2', async () => {
    const { code, stderr } = await svc(['validate', '--target', 'mars'], await project());
    expect(code).toBe(2);
    expect(stderr).toContain('--target mars is not known. Choose wasm, native, node, aws-lambda');
  });

  // Requirements: large.validate, command.validate
  it('finds statements that read more ranges of a large database than they may, only where it is read so', async () => {
    const root = await project();
    const rows = 'SELECT i AS id, (hash(i) % 1000)::INTEGER AS customer, hash(i + 1) AS a, hash(i + 2) AS b';
    await svc(['query', `CREATE TABLE sales AS ${rows} FROM range(2000000) t(i)`], root, {
      SVC_READONLY: 'false',
    });
    const tool = (name: string, where: string) => `svc: 1
tool:
  name: ${name}
  limits: { scan_bytes: 3000000 }
  parameters: [{ name: n, type: integer }]
  source: { code: "SELECT sum(a + b) AS s FROM sales WHERE ${where} = $n" }
`;
    for (const [name, column] of Object.entries({ scattered: 'customer', sorted: 'id' }))
      writeFileSync(join(root, `tools/${name}.yml`), tool(name, column));
    const { code, stdout } = await svc(['validate', '--target', 'cloudflare-workers', '--json'], root);
    expect(code).toBe(0);
    expect(findingsOf(stdout)).toEqual([
      expect.objectContaining({
        severity: 'warning',
        code: 'too-many-ranges',
        file: 'tools/scattered.yml',
        line: 6,
        message: expect.stringMatching(/reads about \d+ ranges .* allows 3,000,000 bytes/),
        fix: expect.stringContaining('svc build --target cloudflare-workers --sort sales=customer'),
      }),
    ]);
    expect(findingsOf((await svc(['validate', '--target', 'node', '--json'], root)).stdout)).toEqual([]);
  }, 120_000);
});
