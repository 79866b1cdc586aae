import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/project/finding.ts';
import { project, svc } from './svc.ts';

const BARE = `svc: 1
tool:
  name: bare
  parameters: [{ name: id, type: integer }]
  source: { code: SELECT $id AS id }
`;

const findingsOf = (stdout: string): Finding[] => JSON.parse(stdout).findings;
const severitiesOf = (stdout: string) =>
  [...new Set(findingsOf(stdout).map(({ severity }) => severity))].sort();

describe('svc lint', () => {
  it('shows place, severity, reason and fix; --severity shows that and graver', async () => {
    const root = await project();
    writeFileSync(join(root, 'tools/bare.yml'), BARE);
    const [text, all, warnings, errors] = await Promise.all([
      svc(['lint'], root),
      svc(['lint', '--json'], root),
      svc(['lint', '--json', '--severity', 'warning'], root),
      svc(['lint', '--json', '--severity', 'error'], root),
    ]);
    expect(text.stdout).toMatch(/^tools\/bare\.yml:4:16 +error +The parameter id .*\n +fix: \S.*$/m);
    expect(text.stdout).toMatch(/^1 error, \d+ warnings, \d+ info in 2 endpoints$/m);
    expect(severitiesOf(all.stdout)).toEqual(['error', 'info', 'warning']);
    expect(severitiesOf(warnings.stdout)).toEqual(['error', 'warning']);
    expect(findingsOf(errors.stdout)).toEqual([
      expect.objectContaining({ code: 'parameter-description', file: 'tools/bare.yml', line: 4, column: 16 }),
    ]);
  });

  it('fails from the severity of --fail-on, whatever is shown', async () => {
    const root = await project();
    const failOn = async (severity: string) =>
      (await svc(['lint', '--fail-on', severity, '--severity', 'error'], root)).code;
    const codes = [await failOn('error'), await failOn('info')];
    expect(codes).toEqual([0, 1]);
    writeFileSync(join(root, 'tools/bare.yml'), BARE);
    const { code, stdout } = await svc(['lint', '--json'], root);
    expect({ code, status: JSON.parse(stdout).status }).toEqual({ code: 1, status: 'error' });
  });

  it('does not pass over files that cannot be read', async () => {
    const root = await project();
    writeFileSync(join(root, 'tools/lost.yml'), 'svc: 1\ntool:\n  nam: lost\n');
    const { code, stdout } = await svc(['lint', '--json', '--severity', 'error'], root);
    expect(code).toBe(1);
    expect(findingsOf(stdout)).toContainEqual(
      expect.objectContaining({ severity: 'error', file: 'tools/lost.yml', line: 3, code: 'unknown-key' }),
    );
  });

  it('refuses severities that it does not know, with 2', async () => {
    const root = await project();
    for (const option of ['--severity', '--fail-on']) {
      const { code, stderr } = await svc(['lint', option, 'all'], root);
      expect(code).toBe(2);
      expect(stderr).toContain(`${option} all is not known`);
    }
  });
});
