import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../cli/table.ts';
import { sendLegacy } from '../../legacy-request.ts';
import { folder, project, Svc, svc } from './svc.ts';

/** Commands that no project concerns, that ask a running server, that never end by themselves, or that start dbt. */
const WITHOUT = [
  ...['init', 'migrate', 'schema', 'auth', 'completion'],
  ...['admin', 'convert', 'doctor', 'call', 'inspect', 'replay'],
  ...['dev', 'preview', 'dbt'],
];

/** Every other one, as it is called in a project with `hello_world`. */
const CALLS: { readonly [name: string]: readonly string[] } = {
  serve: ['--transport', 'stdio'],
  run: ['tool', 'hello_world', '--param', 'name=Ada'],
  list: [],
  validate: [],
  config: [],
  test: [],
  lint: [],
  evals: [],
  'drift-snapshot': [],
  'drift-check': [],
  lock: [],
  policy: ['matrix'],
  'dbt-config': ['--dry-run'],
  connect: ['cursor'],
  query: ['SELECT 1 AS one'],
  log: [],
  'log-cleanup': ['--dry-run'],
  build: ['--target', 'node'],
};

const SITE = `svc: 1
project: demo
profile: default
profiles: { default: { audit: { enabled: true } } }
`;

async function demo() {
  const root = await project();
  writeFileSync(join(root, 'svc-site.yml'), SITE);
  const below = join(root, 'tools/of/mine');
  mkdirSync(below, { recursive: true });
  const HOME = folder();
  return { root, below, HOME };
}

/** Commands that tell of what they replace. */
const WRITING = ['build', 'lock'];

/** What must be the same wherever a command is called; times and durations never are. */
const withoutTimes = (text: string) => text.replaceAll(/"(before|time_ms)":\s*("[^"]*"|[\d.]+)/g, '"$1":0');

describe('a command that is called below the project (D15)', () => {
  it('is any that needs a project', () => {
    const needing = COMMANDS.map(({ usage }) => usage.split(' ')[0] ?? '').filter(
      (name) => !WITHOUT.includes(name),
    );
    expect(Object.keys(CALLS).toSorted()).toEqual(needing.toSorted());
  });

  it.each(Object.entries(CALLS))('works as in its root: svc %s', { timeout: 60_000 }, async (name, args) => {
    const { root, below, HOME } = await demo();
    const call = [name, ...args, '--json'];
    if (name === 'drift-check') await svc(['drift-snapshot'], root, { HOME });
    const above = await svc(call, root, { HOME });
    expect({ code: above.code, stderr: above.stderr }).toMatchObject({ code: 0 });
    const under = await svc(call, below, { HOME });
    expect({ code: under.code, stderr: under.stderr }).toMatchObject({ code: 0 });
    if (!WRITING.includes(name)) expect(withoutTimes(under.stdout)).toBe(withoutTimes(above.stdout));
    expect(readdirSync(below)).toEqual([]);
  });

  it.each(['serve', 'dev'])(
    'svc %s writes and finds everything in the root',
    { timeout: 60_000 },
    async (name) => {
      const { root, below, HOME } = await demo();
      const env = { HOME, SVC_AUDIT_ENABLED: 'true' };
      const running = new Svc([name, '--port', '0', '--json'], { cwd: below, env });
      const { url } = JSON.parse((await running.until(/^\{.*\}$/m))[0]);
      const answer = await sendLegacy(url, 'tools/call', CALL);
      expect(await answer.text()).toContain('Ada');
      running.child.kill('SIGTERM');
      await running.ended;
      expect(existsSync(join(root, 'audit/logs-default.jsonl'))).toBe(true);
      const { stdout } = await svc(['log', '--json'], below, env);
      expect(stdout).toContain('hello_world');
      const built = await svc(['build', '--target', 'node'], below, { HOME });
      expect(built).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^Next: cd \S+build\/node && node index\.js$/m),
      });
      expect(existsSync(join(root, 'build/node/manifest.json'))).toBe(true);
      expect(readdirSync(below)).toEqual([]);
    },
  );

  it('says where it looked when there is no project above', async () => {
    for (const name of Object.keys(CALLS)) {
      const { code, stderr } = await svc([name, ...(CALLS[name] ?? [])], folder());
      expect(`${name}: ${code} ${stderr}`).toMatch(/: 1 .*no svc-site\.yml in .* or in a folder above/);
    }
  }, 180_000);
});

const CALL = { name: 'hello_world', arguments: { name: 'Ada' } };
