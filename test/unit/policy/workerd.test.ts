import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningWorker, startWorker } from '../../matrix/worker.ts';
import { decide, deny } from './fixtures.ts';

const CONDITIONS = [
  "user.role == 'analyst' && user.email.endsWith('@acme.com')",
  "user.email.matches('^(a+)+$') || user.groups.exists(g, g == 'eu')",
  "now().getHours('Europe/Zurich') == 15 && now().getDayOfWeek() == 6",
  "user.claims.level + 1 == 4 && timestamp('2026-01-01T00:00:00Z') < now()",
  "!user.name.nope.endsWith('x')",
  'user.groups.all(a, user.groups.all(b, a + b != ""))',
];

const ENTRY = `
  import { renderTemplate, compileTemplate } from './src/template/render.ts';
  import { checkTemplate } from './src/template/check.ts';
  import { checkPolicies } from './src/policy/checks/check.ts';
  import { decide, deny } from './test/unit/policy/fixtures.ts';
  export default {
    fetch() {
      const policies = { input: [deny("user.nope == 1")], output: [] };
      return Response.json({
        decisions: ${JSON.stringify(CONDITIONS)}.map((condition) => decide([deny(condition)])),
        problems: checkPolicies(policies, { kind: 'tool', parameters: [], returns: null }).length,
        text: renderTemplate(compileTemplate('{% for x in l if x > 1 %}{{ x }}{{ name|title }},{% endfor %}'), { l: [1, 2, 3], name: 'ann lee' }),
        checkTemplate: checkTemplate('{{ nope }}', []).length,
      });
    },
  };
`;

async function bundle(minify = false): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: ENTRY, resolveDir: resolve('.'), loader: 'ts' },
    bundle: true,
    write: false,
    minify,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    conditions: ['worker'],
    mainFields: ['module', 'main'],
  });
  return outputFiles[0]?.text ?? '';
}

describe('policies and templates in workerd', () => {
  let folder: string;
  let worker: RunningWorker;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-workerd-'));
    await writeFile(join(folder, 'entry.js'), await bundle());
    await writeFile(
      join(folder, 'wrangler.toml'),
      'name = "unit"\nmain = "entry.js"\nno_bundle = true\ncompatibility_date = "2026-01-01"\n',
    );
    worker = await startWorker(folder);
  });

  afterAll(async () => {
    await worker?.close();
    await rm(folder, { recursive: true, force: true });
  });

  // Workers refuse to make code out of text, so an answer also shows that nothing here does.
  it('answer as they do on Node', async () => {
    const answer = await (await fetch(worker.url)).json();
    expect(answer).toEqual({
      decisions: CONDITIONS.map((condition) => decide([deny(condition)])),
      problems: 1,
      text: '2Ann Lee,3Ann Lee,',
      checkTemplate: 1,
    });
  });

  it('bundle without a Node module', async () => {
    const text = await bundle(true);
    expect(/from\s*["']node:|require\(["']|new Function\(/.test(text)).toBe(false);
    const compressed = gzipSync(text).length;
    console.log(`policies and templates, bundled: ${text.length} bytes, ${compressed} compressed`);
    expect(compressed).toBeLessThan(110_000);
  });
});
