import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runScript } from '../../../../adapters/duckdb-native/files/script.ts';
import { folder, Svc, svc } from '../svc.ts';

const SITE = 'svc: 1\nproject: demo\nprofile: default\n';

function threeFields(): string {
  const root = folder();
  writeFileSync(join(root, 'svc-site.yml'), SITE);
  mkdirSync(join(root, 'tools'));
  mkdirSync(join(root, 'data'));
  const tool = 'svc: 1\ntool:\n  name: one\n  source: { code: SELECT 1 AS n }\n';
  writeFileSync(join(root, 'tools/one.yml'), tool);
  return root;
}

const pipe = (path: string) => execFileSync('mkfifo', [path]);

describe('a project with the three required fields', () => {
  it.each([[[]], [['--stateless']]])(
    'starts with %j, and creates its database',
    {
      timeout: 120_000,
    },
    async (flags) => {
      const server = new Svc(['serve', '--port', '0', '--json', ...flags], { cwd: threeFields() });
      expect(JSON.parse((await server.until(/^\{.*\}$/m))[0])).toMatchObject({
        status: 'ok',
        readonly: flags.length > 0,
      });
      server.child.kill('SIGTERM');
      expect((await server.ended).code).toBe(0);
    },
  );
});

describe.skipIf(process.platform === 'win32')('a start ends with an error, and does not hang,', () => {
  const CASES: readonly (readonly [string, string, (root: string) => void])[] = [
    ['a pipe as database', 'is a pipe', (root) => pipe(join(root, 'data/db-default.db'))],
    ['a pipe as seed script', 'is not a file', (root) => pipe(join(root, 'seed.sql'))],
    [
      'a pipe as site file',
      'svc-site.yml',
      (root) => {
        execFileSync('rm', [join(root, 'svc-site.yml')]);
        pipe(join(root, 'svc-site.yml'));
      },
    ],
    [
      'an audit file below a missing folder of /proc',
      'cannot be written',
      (root) =>
        writeFileSync(
          join(root, 'svc-site.yml'),
          `${SITE}profiles: { default: { audit: { enabled: true, path: /proc/missing/logs.jsonl } } }\n`,
        ),
    ],
  ];
  it.each(CASES)('with %s', { timeout: 60_000 }, async (_, text, spoil) => {
    const root = threeFields();
    spoil(root);
    const { code, stderr } = await svc(['serve', '--port', '0'], root);
    expect(code).toBe(1);
    expect(stderr).toContain(text);
  });
});

it('`svc validate` fails where `svc serve` does: a macro named like a function about the caller', {
  timeout: 60_000,
}, async () => {
  const root = threeFields();
  await runScript(join(root, 'data/db-default.db'), 'CREATE MACRO get_username() AS 1');
  for (const args of [['validate'], ['serve', '--port', '0']]) {
    const { code, stdout, stderr } = await svc(args, root);
    expect(code).toBe(1);
    expect(stdout + stderr).toContain('The database defines a function get_username');
  }
});

it('`svc config` shows the default of dbt.enabled that the documentation names', async () => {
  const { stdout } = await svc(['config'], threeFields());
  expect(stdout).toMatch(/^dbt\.enabled +true +default$/m);
});
