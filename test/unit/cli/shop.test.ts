import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/project/finding.ts';
import { folder, svc } from './svc.ts';

/** The example as a checkout has it, without the database that somebody may have made. */
function shop(): string {
  const root = join(folder(), 'shop');
  cpSync('examples/shop', root, { recursive: true, filter: (path) => !/[\\/](data|\.svc)$/.test(path) });
  return root;
}

describe('examples/shop', () => {
  // Requirements: command.test
  it('validates, lints and tests without a fault', async () => {
    const root = shop();
    expect(await svc(['validate'], root)).toMatchObject({ code: 0, stdout: 'ok: 13 endpoints\n' });
    const lint = await svc(['lint', '--fail-on', 'warning', '--severity', 'warning'], root);
    expect(lint).toMatchObject({ code: 0, stdout: 'ok: 13 endpoints\n' });
    const { code, stdout } = await svc(['test', '--json'], root);
    const { status, tests_run, endpoints } = JSON.parse(stdout);
    expect({ code, status }).toEqual({ code: 0, status: 'ok' });
    expect(tests_run).toBeGreaterThan(30);
    expect(new Set(endpoints.map(({ endpoint }: { endpoint: string }) => endpoint.split('/')[0]))).toEqual(
      new Set(['prompt', 'resource', 'tool']),
    );
  });

  it('tests twice the same: what writes leaves nothing behind', async () => {
    const root = shop();
    const codes = [(await svc(['test'], root)).code, (await svc(['test'], root)).code];
    expect(codes).toEqual([0, 0]);
  });

  it('would serve everywhere but for the tools that write', async () => {
    const { stdout } = await svc(['validate', '--target', 'cloudflare-workers', '--json'], shop());
    const findings: Finding[] = JSON.parse(stdout).findings;
    expect(findings.map(({ file, code }) => `${file} ${code}`)).toEqual([
      'tools/set_stock.yml target-unsupported',
      'tools/write_off.yml target-unsupported',
    ]);
  });

  // Requirements: endpoint.enabled
  it('shows the disabled endpoint as such, and runs it for nobody', async () => {
    const root = shop();
    const { stdout } = await svc(['list', '--json'], root);
    const listed: { name: string; status: string }[] = JSON.parse(stdout).endpoints;
    expect(listed.filter(({ status }) => status !== 'ok').map(({ name, status }) => [name, status])).toEqual([
      ['export_orders', 'disabled'],
    ]);
    expect((await svc(['run', 'tool', 'export_orders'], root)).code).toBe(2);
  });

  it('answers prompts and resources by hand as it does clients', async () => {
    const root = shop();
    const user = '{"user_id":"s1","role":"support"}';
    const [resource, uri, prompt] = [
      await svc(['run', 'resource', 'shop://customers/{id}', '--param', 'id=1', '--json'], root),
      await svc(['run', 'resource', 'shop://customers/1', '--user-context', user, '--json'], root),
      await svc(['run', 'prompt', 'sales_review', '--param', 'month=2026-02'], root),
    ];
    expect(JSON.parse(resource.stdout)).toEqual({ name: 'Ada Lovelace', city: 'London', orders: 2 });
    expect(JSON.parse(uri.stdout)).toMatchObject({ total: 199.8 });
    expect(prompt.stdout).toMatch(/^user:\nYou are .*assistant:\nI will begin with the totals\.\n$/s);
    const denied = await svc(['run', 'tool', 'get_customer', '--json'], root);
    expect({ code: denied.code, error: JSON.parse(denied.stdout).error.code }).toEqual({
      code: 1,
      error: 'denied',
    });
  });
});
