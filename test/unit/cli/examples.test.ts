import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, svc } from './svc.ts';

/** An example as a checkout has it, without what somebody may have made in it. */
function example(name: string): string {
  const root = join(folder(), name);
  const made = /[\\/](?:data|build|audit|\.svc)$/;
  cpSync(join('examples', name), root, { recursive: true, filter: (path) => !made.test(path) });
  return root;
}

describe.each([
  ['sales-analytics', 5],
  ['github-rows', 3],
  ['public-data', 3],
  ['lake', 3],
])('examples/%s', (name, endpoints) => {
  it('validates, lints and tests without a fault', async () => {
    const root = example(name);
    const ok = `ok: ${endpoints} endpoints\n`;
    expect(await svc(['validate'], root)).toMatchObject({ code: 0, stdout: ok });
    const lint = ['lint', '--fail-on', 'warning', '--severity', 'warning'];
    expect(await svc(lint, root)).toMatchObject({ code: 0, stdout: ok });
    const { code, stdout } = await svc(['test', '--json'], root);
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, status: 'ok' });
  });
});
