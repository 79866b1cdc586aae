import { describe, expect, it, vi } from 'vitest';
import { folder, project, Svc, svc } from './svc.ts';

// several programs start in each
vi.setConfig({ testTimeout: 90_000 });

interface Told {
  readonly status: string;
  readonly url?: string;
  readonly checks: readonly { name: string; status: string; message: string; fix: string | null }[];
}

async function look(args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}) {
  const { code, stdout } = await svc(['doctor', ...args, '--json'], cwd, env);
  const document: Told = JSON.parse(stdout);
  const named = Object.fromEntries(document.checks.map((check) => [check.name, check]));
  const problems = document.checks.filter(({ status }) => status === 'problem').map(({ name }) => name);
  return { code, stdout, document, named, problems };
}

const INSIDE = [
  ...['node', 'python', 'engine-wasm', 'engine-native', 'project', 'configuration', 'references'],
  ...['database', 'socket', 'audit', 'telemetry', 'port', 'clock'],
];

const CONFIG = `svc: 1
projects:
  demo:
    profiles:
      default:
        secrets:
          - { name: crm, type: custom, parameters: { user: "\${PLANTED}", token: "\${NOT_SET_ANYWHERE}" } }
`;

describe('svc doctor', () => {
  it('finds nothing in a fresh project, nor while it is served, nor from outside', async () => {
    const cwd = await project();
    const env = { SVC_AUDIT_ENABLED: 'true', SVC_ADMIN_ENABLED: 'true', SVC_ADMIN_SOCKET: `${cwd}/svc.sock` };
    const server = new Svc(['serve', '--port', '0', '--json'], { cwd, env });
    const { url } = JSON.parse((await server.until(/^.*\n/))[0]);
    const SVC_CONFIG_YAML = `svc: 1\ntransport: { http: { port: ${new URL(url).port} } }\n`;
    const inside = await look([], cwd, { ...env, SVC_CONFIG_YAML });
    expect([inside.problems, inside.code, Object.keys(inside.named)]).toEqual([[], 0, INSIDE]);
    expect(inside.named.socket?.message).toMatch(/a server answers on/);
    expect(inside.named.database?.message).toMatch(/in use by another process/);
    const outside = await look([url], folder());
    expect([outside.problems, outside.code, outside.document.url]).toEqual([[], 0, url]);
    expect(outside.named).toHaveProperty('era-2026');
    const text = await svc(['doctor', '--url', url], folder());
    expect([text.code, text.stdout]).toEqual([0, expect.stringMatching(/^ok +tls .*\nok\n$/s)]);
  });

  it('ends with 1 on problems, tells what to do, and names references without their values', async () => {
    const env = { SVC_CONFIG_YAML: CONFIG, PLANTED: 'planted-4711' };
    const { code, stdout, named, problems } = await look([], await project(), env);
    expect([code, problems]).toEqual([1, ['references']]);
    expect(named.references?.message).toContain('NOT_SET_ANYWHERE');
    expect(named.references?.fix).toEqual(expect.any(String));
    expect(stdout).not.toContain('planted');
  });

  it('says so where there is no project, and what else it could look at', async () => {
    const { code, problems, named } = await look([], folder());
    expect([code, problems]).toEqual([1, ['project']]);
    expect(named.project?.fix).toContain('svc doctor <url>');
  });
});
