import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { callLegacy } from '../../legacy-request.ts';
import { blocksOf } from '../docs/pages.ts';
import { folder, Svc, svc } from './svc.ts';

const path = 'docs/tutorial/first-server.md';
const text = readFileSync(path, 'utf8');

/** What the page says to write or to type, in its order. */
type Step =
  | { readonly file: string; readonly content: string }
  | { readonly argv: readonly string[] }
  | 'cd demo';

const steps = blocksOf({ path, text }).flatMap(({ at, language, text: body }): Step[] => {
  if (language === 'sh') return body.split('\n').map(toStep);
  const before = text
    .split('\n')
    .slice(0, Number(at.split(':')[1]) - 1)
    .join('\n');
  const file = before.match(/`[\w/]+\.(yml|sql)`/g)?.at(-1) ?? '';
  return [{ file: file.replaceAll('`', ''), content: `${body}\n` }];
});

function toStep(line: string): Step {
  return line === 'cd demo' ? line : { argv: line.replace('npx svc ', '').split(' ') };
}

it('the first tutorial goes as it is written', { timeout: 300_000 }, async () => {
  let cwd = folder();
  const typed: string[] = [];
  for (const step of steps) {
    if (step === 'cd demo') cwd = join(cwd, 'demo');
    else if ('file' in step) write(join(cwd, step.file), step.content);
    else {
      typed.push(step.argv[0] ?? '');
      await (step.argv[0] === 'serve' ? serve(cwd, step.argv) : type(cwd, step.argv));
    }
  }
  expect(typed).toEqual(['init', 'validate', 'validate', 'run', 'test', 'serve', 'build']);
  expect(existsSync(join(cwd, 'build/cloudflare-workers/wrangler.toml'))).toBe(true);
});

/** As the page says, the empty database goes when `seed.sql` comes. */
function write(file: string, content: string): void {
  if (file.endsWith('seed.sql')) rmSync(join(dirname(file), 'data'), { recursive: true, force: true });
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

async function type(cwd: string, argv: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await svc(argv, cwd);
  expect({ argv, code, told: code === 0 ? '' : stdout + stderr }).toEqual({ argv, code: 0, told: '' });
  if (argv[0] === 'run') expect(JSON.parse(stdout)).toEqual({ customer: 'Ada', total: 27.4 });
}

async function serve(cwd: string, argv: readonly string[]): Promise<void> {
  // the port of the page may be taken
  const server = new Svc([...argv, '--port', '0'], { cwd });
  const [url] = await server.until(/http:\/\/127\.0\.0\.1:\d+\/mcp/);
  const response = await callLegacy(url, 'customer_total', { customer: 'Ada' });
  expect(await response.text()).toContain('27.4');
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
}
