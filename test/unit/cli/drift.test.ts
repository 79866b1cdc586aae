import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runScript } from '../../../adapters/duckdb-native/files/script.ts';
import { project, svc } from './svc.ts';

const SITE = `svc: 1
project: demo
profile: default
profiles:
  default:
    database: { path: data/shop.duckdb }
  strict:
    database: { path: data/shop.duckdb }
    drift: { path: 'baselines/{profile}.json' }
`;
const TOOL = `svc: 1
tool:
  name: total
  description: Sums what was sold.
  return: { type: array, items: { type: object } }
  source: { file: ../sql/total.sql }
  tests:
    - name: sums
      result: [{ total: 3 }]
`;
const WRITER = `svc: 1
tool:
  name: sell
  description: Sells one.
  source: { code: INSERT INTO sales VALUES (9) }
  tests: [{ name: sells, result: null }]
`;

const WRITING_RESOURCE = `svc: 1
resource:
  uri: demo://sold
  source: { code: INSERT INTO sales VALUES (9) RETURNING x }
`;
const WRITING_PROMPT = `svc: 1
prompt:
  name: sold
  messages: [{ type: resource, prompt: "demo://sold" }]
  tests: [{ name: sells, result_contains: { role: user } }]
`;

async function shop(): Promise<string> {
  const root = await project();
  writeFileSync(join(root, 'svc-site.yml'), SITE);
  writeFileSync(join(root, 'tools/total.yml'), TOOL);
  writeFileSync(join(root, 'tools/sell.yml'), WRITER);
  writeFileSync(join(root, 'sql/total.sql'), 'SELECT sum(x)::INTEGER AS total FROM sales\n');
  writeFileSync(join(root, 'seed.sql'), 'CREATE TABLE sales (x INTEGER); INSERT INTO sales VALUES (1), (2)');
  return root;
}

const database = (root: string) => join(root, 'data/shop.duckdb');
const baseline = (root: string) => join(root, 'drift/drift-default.json');

describe('svc drift-snapshot', { timeout: 120_000 }, () => {
  // Requirements: command.drift-snapshot
  it('writes the same bytes for the same project, without a time, and runs nothing that writes', async () => {
    const root = await shop();
    for (const folder of ['resources', 'prompts']) mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, 'resources/sold.yml'), WRITING_RESOURCE);
    writeFileSync(join(root, 'prompts/sold.yml'), WRITING_PROMPT);
    const first = await svc(['drift-snapshot', '--json'], root);
    expect(first).toMatchObject({ code: 0 });
    const bytes = readFileSync(baseline(root), 'utf8');
    const second = await svc(['drift-snapshot', '--json'], root);
    expect(readFileSync(baseline(root), 'utf8')).toBe(bytes);
    expect(bytes).not.toMatch(/\d{4}-\d\d-\d\dT|_at"|time_ms|\/tmp/);
    const { hash, ...told } = JSON.parse(first.stdout);
    expect(JSON.parse(second.stdout).hash).toBe(hash);
    expect(told).toEqual({
      status: 'ok',
      path: baseline(root),
      tables: 1,
      endpoints: 5,
      tests: 4,
      failing_tests: 0,
    });
    const { tables, endpoints, files } = JSON.parse(bytes);
    expect(tables.sales.columns).toEqual([{ name: 'x', type: 'INTEGER', nullable: true }]);
    expect(endpoints['tool sell'].tests).toEqual({ sells: 'not run' });
    expect(endpoints['prompt sold'].tests).toEqual({ sells: 'not run' });
    expect(endpoints['tool total'].tests).toEqual({ sums: 'passed' });
    expect(files['sql/total.sql']).toEqual(['SELECT sum(x)::INTEGER AS total FROM sales']);
    expect(readdirSync(join(root, 'drift'))).toEqual(['drift-default.json']);
  });

  // Requirements: site.drift.path
  it('goes where the profile says, and is refused while the project has errors', async () => {
    const root = await shop();
    expect((await svc(['drift-snapshot', '--profile', 'strict'], root)).code).toBe(0);
    expect(existsSync(join(root, 'baselines/strict.json'))).toBe(true);
    writeFileSync(join(root, 'tools/broken.yml'), 'svc: 1\ntool: { nam: x }\n');
    const { code, stderr } = await svc(['drift-snapshot'], root);
    expect(code).toBe(1);
    expect(stderr).toContain('tools/broken.yml:2');
    expect(existsSync(baseline(root))).toBe(false);
  });
});

describe('svc drift-check', { timeout: 120_000 }, () => {
  // Requirements: feature.drift
  it('D17: is not stopped by its own text, drift or not: 0 without, 1 with, and says what changed', async () => {
    const root = await shop();
    await svc(['drift-snapshot'], root);
    const [calm, json] = [await svc(['drift-check'], root), await svc(['drift-check', '--json'], root)];
    expect(calm).toMatchObject({
      code: 0,
      stdout: 'no drift from drift/drift-default.json\n',
      stderr: '',
    });
    expect(json.code).toBe(0);
    expect(JSON.parse(json.stdout)).toMatchObject({ status: 'ok', has_drift: false, changes: [] });

    await runScript(database(root), 'ALTER TABLE sales ALTER x TYPE VARCHAR');
    const [text, told] = [await svc(['drift-check'], root), await svc(['drift-check', '--json'], root)];
    expect(text.code).toBe(1);
    expect(text.stdout).toMatch(/^breaking +table sales: columns\.x\.type\n +INTEGER -> VARCHAR$/m);
    expect(text.stdout).toMatch(/^breaking +tool total: problem$/m);
    expect(text.stdout).toMatch(/^breaking +tool total: tests\.sums\n +passed -> error$/m);
    expect(text.stdout).toMatch(/^3 changes: 3 breaking since/m);
    expect(text.stderr).toMatch(/svc drift-snapshot/);
    expect(told.code).toBe(1);
    const document = JSON.parse(told.stdout);
    expect(document).toMatchObject({ status: 'drift', summary: { breaking: 3, widening: 0, wording: 0 } });
    expect(document.changes).toContainEqual({
      class: 'breaking',
      subject: 'table sales',
      path: 'columns.x.type',
      old: 'INTEGER',
      new: 'VARCHAR',
      message: expect.any(String),
    });
    expect(document.baseline_hash).not.toBe(document.current_hash);
  });

  // Requirements: command.drift-check
  it('shows the lines of SQL that changed, and fails only on what it is asked to', async () => {
    const root = await shop();
    await svc(['drift-snapshot'], root);
    writeFileSync(join(root, 'tools/total.yml'), TOOL.replace('Sums', 'Adds up'));
    const gentle = await svc(['drift-check', '--fail-on', 'breaking'], root);
    expect(gentle).toMatchObject({ code: 0, stderr: '' });
    expect(gentle.stdout).toMatch(/^wording +tool total: description$/m);
    expect((await svc(['drift-check'], root)).code).toBe(1);
    for (const folder of ['resources', 'prompts']) mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, 'resources/sold.yml'), WRITING_RESOURCE);
    writeFileSync(join(root, 'prompts/sell.yml'), WRITING_PROMPT);
    writeFileSync(join(root, 'sql/total.sql'), 'SELECT sum(x)::INTEGER AS total\nFROM sales WHERE x > 0\n');
    const { code, stdout } = await svc(['drift-check', '--fail-on', 'breaking'], root);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^breaking +file sql\/total\.sql\n +- SELECT.*\n +\+ SELECT.*\n +\+ FROM sales WHERE x > 0$/m,
    );
  });

  it('says what is wrong with a baseline that is missing or torn, and how to get one', async () => {
    const root = await shop();
    const none = await svc(['drift-check', '--json'], root);
    expect(none.code).toBe(1);
    expect(JSON.parse(none.stdout).error).toMatchObject({
      code: 'config_invalid',
      message: expect.stringMatching(
        /^There is no drift baseline at drift\/drift-default\.json.*\n.*svc drift-snapshot/,
      ),
    });
    await svc(['drift-snapshot'], root);
    const good = readFileSync(baseline(root), 'utf8');
    writeFileSync(join(root, 'other.json'), good.slice(0, 200));
    const { code, stderr } = await svc(['drift-check', '--baseline', 'other.json'], root);
    expect(code).toBe(1);
    expect(stderr).toMatch(/other\.json is not a valid drift baseline: it is incomplete.*svc drift-snapshot/);
    expect((await svc(['drift-check', '--fail-on', 'all'], root)).code).toBe(2);
  });
});
