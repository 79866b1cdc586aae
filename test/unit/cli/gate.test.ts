import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { runScript } from '../../../adapters/duckdb-native/files/script.ts';
import type { CheckReport } from '../../../src/quality/gate/report.ts';
import { project, svc } from './svc.ts';

const SITE = `svc: 1
project: demo
profile: default
profiles:
  default:
    database: { path: data/shop.duckdb }
`;
const TOOL = `svc: 1
tool:
  name: total
  description: Sums what was sold.
  return: { type: array, items: { type: object } }
  source: { code: SELECT sum(x)::INTEGER AS total FROM sales }
  tests: [{ name: sums, result: [{ total: 3 }] }]
`;
const HASTY = `svc: 1
tool:
  name: hasty
  description: Looks one up.
  parameters: [{ name: id, type: integer }]
  source:
    code: SELECT $id AS id, 'sk-abcdefghijklmnopqrstuv0123' AS key
`;
const WRITER = `svc: 1
tool:
  name: sell
  description: Sells one.
  source: { code: INSERT INTO sales VALUES (9) }
`;
const TIMEOUT_MS = 120_000;

async function shop(): Promise<string> {
  const root = await project();
  writeFileSync(join(root, 'svc-site.yml'), SITE);
  writeFileSync(join(root, 'tools/total.yml'), TOOL);
  await runScript(join(root, 'data/shop.duckdb'), 'CREATE TABLE sales AS SELECT unnest([1, 2]) AS x');
  return root;
}

const statuses = (checks: readonly CheckReport[]) =>
  Object.fromEntries(checks.map(({ check, status, problems }) => [check, `${status} ${problems.length}`]));

it(
  'is open for a project as it was agreed on, and closed when a column has another type',
  async () => {
    const root = await shop();
    for (const command of ['drift-snapshot', 'lock']) expect((await svc([command], root)).code).toBe(0);
    const built = await svc(['build', '--target', 'node', '--json'], root);
    expect(built).toMatchObject({ code: 0 });
    expect(statuses(JSON.parse(built.stdout).checks)).toEqual({
      validate: 'passed 0',
      lint: 'passed 0',
      secrets: 'passed 0',
      lock: 'passed 0',
      target: 'passed 0',
      tests: 'passed 0',
      drift: 'passed 0',
    });
    const manifest = join(root, 'build/node/manifest.json');
    const before = readFileSync(manifest, 'utf8');
    expect(JSON.parse(before).allowed).toBeUndefined();

    // What the tests see is the same: only the baseline tells.
    await runScript(join(root, 'data/shop.duckdb'), 'ALTER TABLE sales ALTER x TYPE BIGINT');
    const refused = await svc(['build', '--target', 'node', '--json'], root);
    expect(refused.code).toBe(1);
    const { status, error } = JSON.parse(refused.stdout);
    expect({ status, code: error.code }).toEqual({ status: 'error', code: 'project_invalid' });
    expect(statuses(error.detail.checks)).toMatchObject({ tests: 'passed 0', drift: 'failed 1' });
    expect(error.detail.checks.at(-1)).toMatchObject({
      check: 'drift',
      fix: expect.stringContaining('svc drift-snapshot'),
      problems: [{ change: { class: 'breaking', path: 'columns.x.type', old: 'INTEGER', new: 'BIGINT' } }],
    });
    expect(readFileSync(manifest, 'utf8')).toBe(before);
  },
  TIMEOUT_MS,
);

it(
  'says everything at once, and lets pass what is allowed, which the manifest tells',
  async () => {
    const root = await shop();
    for (const command of ['drift-snapshot', 'lock']) expect((await svc([command], root)).code).toBe(0);
    writeFileSync(join(root, 'tools/hasty.yml'), HASTY);
    writeFileSync(join(root, 'tools/sell.yml'), WRITER);
    writeFileSync(
      join(root, 'tools/total.yml'),
      TOOL.replace(
        'type: array, items: { type: object }',
        'type: array, items: { type: object, properties: { total: { type: integer } } }',
      )
        .replace('total: 3', 'total: 4')
        .replace('return:', 'scopes: [sales]\n  return:'),
    );
    const refused = await svc(['build', '--target', 'aws-lambda', '--public'], root);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /The build for aws-lambda is refused by 6 checks: lint, secrets, lock, target, tests, drift\./,
    );
    for (const line of [
      /✓ validate$/m,
      /tools\/hasty\.yml:5:16: The parameter id has no description/,
      /tools\/hasty\.yml:7:30: This looks like an API key, and the artefact would contain it/,
      /tool total: scopes: Tokens that were sufficient are rejected\./,
      /These endpoints write to the database.*: sell\./,
      /tool total: the test sums fails/,
      /fix: .*svc lock/,
      /fix: .*svc drift-snapshot/,
      /--allow lint --allow secrets --allow lock --allow target --allow tests --allow drift/,
    ]) {
      expect(refused.stderr).toMatch(line);
    }
    expect(refused.stderr).not.toContain('abcdefghijklmnopqrstuv');
    expect(existsSync(join(root, 'build/aws-lambda'))).toBe(false);

    const checks = ['lint', 'secrets', 'lock', 'target', 'tests', 'drift'];
    const all = checks.flatMap((check) => ['--allow', check]);
    const allowed = await svc(['build', '--target', 'node', '--public', ...all, '--json'], root);
    expect(allowed.code).toBe(0);
    const { allowed: told } = JSON.parse(readFileSync(join(root, 'build/node/manifest.json'), 'utf8'));
    expect(told.map(({ check }: { check: string }) => check)).toEqual(checks);
    expect(statuses(JSON.parse(allowed.stdout).checks)).toMatchObject({
      validate: 'passed 0',
      lint: 'allowed 1',
    });
  },
  TIMEOUT_MS,
);

it(
  'finds secrets in every text file that goes into the artefact',
  async () => {
    const root = await shop();
    const secret = 'API_TOKEN=abc123def456\n';
    for (const [path, text] of Object.entries({
      'tools/rate.yml': 'tool:\n  name: rate\n  source: { file: rate.py }\n',
      'tools/rate.py': 'def rate():\n    return 1\n',
      'python/prod.env': secret,
      'python/server.pem': '-----BEGIN PRIVATE KEY-----\n',
      'python/wide.sh': Buffer.from(`\ufeff${secret}`, 'utf16le'),
      'python/picture.png': `\0\n${secret}`,
      'python/.env': secret,
      'skills/close/SKILL.md': '---\nname: close\ndescription: How to close\n---\nRun post.sh.\n',
      'skills/close/steps/post.sh': secret,
    })) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    const { code, stdout } = await svc(['build', '--target', 'node', '--json'], root);
    expect(code).toBe(1);
    const { checks } = JSON.parse(stdout).error.detail;
    const { problems } = checks.find(({ check }: CheckReport) => check === 'secrets');
    expect(problems.map(({ file }: { file: string }) => file).toSorted()).toEqual([
      'python/prod.env',
      'python/server.pem',
      'python/wide.sh',
      'skills/close/steps/post.sh',
    ]);
  },
  TIMEOUT_MS,
);

it(
  'never offers to allow a secret in the file of --config, and says to write a reference there',
  async () => {
    const root = await shop();
    const auth = 'auth: { provider: github, github: { client_id: a, client_secret: hunter2 } }';
    const config = `svc: 1\nprojects:\n  demo:\n    profiles:\n      default:\n        ${auth}\n`;
    writeFileSync(join(root, 'user.yml'), config);
    const build = ['build', '--target', 'node', '--config', 'user.yml', '--allow', 'secrets'];
    const refused = await svc(build, root);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/✗ secrets: 1 problem\n\s+user\.yml:6:\d+: .* contains a literal secret/);
    expect(refused.stderr).toContain('fix: Replace it with `${NAME}`');
    expect(refused.stderr).not.toMatch(/svc-site\.yml|To build anyway|hunter2/);

    writeFileSync(join(root, 'tools/hasty.yml'), HASTY);
    const both = await svc(build, root);
    expect(both.stderr).toMatch(/fix: Replace it with .* Remove those of other files: .* svc-site\.yml/);
    expect(both.stderr).not.toContain('To build anyway');
  },
  TIMEOUT_MS,
);

it(
  'goes no further than a project with errors, and allows nothing that it does not know',
  async () => {
    const root = await shop();
    writeFileSync(join(root, 'tools/broken.yml'), 'svc: 1\ntool: { nam: x }\n');
    const { code, stdout } = await svc(['build', '--target', 'node', '--json'], root);
    expect(code).toBe(1);
    const { checks } = JSON.parse(stdout).error.detail;
    expect(statuses(checks)).toMatchObject({
      validate: expect.stringMatching(/^failed/),
      tests: 'skipped 0',
    });
    for (const [asked, hint] of [
      ['validate', /A project with errors cannot be built/],
      ['test', /Did you mean tests\?/],
    ] as const) {
      const refused = await svc(['build', '--target', 'node', '--allow', asked], root);
      expect(refused.code).toBe(2);
      expect(refused.stderr).toMatch(hint);
    }
  },
  TIMEOUT_MS,
);
