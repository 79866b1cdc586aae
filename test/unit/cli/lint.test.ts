import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/project/finding.ts';
import { toManyTools } from '../../fixtures/many-tools.ts';
import { folder, project, svc } from './svc.ts';

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
  // Requirements: command.lint
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

  it('shows what fails, also below --severity', async () => {
    const root = await project();
    writeFileSync(join(root, 'tools/bare.yml'), BARE.replace(/ {2}parameters.*\n/, '').replace('$id', '1'));
    const { code, stdout } = await svc(['lint', '--severity', 'error', '--fail-on', 'warning'], root);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^tools\/bare\.yml:.* warning /m);
    expect(stdout).not.toMatch(/^ok|: info/m);
  });

  it('--tokens beside an error of svc-site.yml shows the error, and no bill', async () => {
    const root = await project();
    appendFileSync(join(root, 'svc-site.yml'), 'profil: x\n');
    const { code, stdout, stderr } = await svc(['lint', '--tokens'], root);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(/^svc-site\.yml:\d+:1 +error /m);
    expect(stdout).not.toContain('Tokens in the context');
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

  // Requirements: toolset.bill
  it('--tokens compares 200 tools with a toolset, and with search and call, as the guide shows', async () => {
    const root = folder();
    mkdirSync(join(root, 'tools'));
    writeFileSync(join(root, 'svc-site.yml'), 'svc: 1\nproject: large\nprofile: default\n');
    for (const [path, text] of Object.entries(toManyTools())) writeFileSync(join(root, path), text);
    const [json, text] = await Promise.all([
      svc(['lint', '--tokens', '--json'], root),
      svc(['lint', '--tokens', '--severity', 'error'], root),
    ]);
    const { tools, listed, searched, toolsets, largest } = JSON.parse(json.stdout).tokens;
    expect(tools).toBe(200);
    expect(toolsets).toHaveLength(8);
    expect(toolsets.find(({ tag }: { tag: string }) => tag === 'sales')).toMatchObject({ tools: 25 });
    // an eighth of the tools costs an eighth of the tokens, and two tools cost next to nothing
    const share = listed / toolsets.reduce((sum: number, one: { tokens: number }) => sum + one.tokens, 0);
    expect(share).toBeGreaterThan(0.99);
    expect(share).toBeLessThan(1.01);
    expect(searched).toBeLessThan(listed / 150);
    expect(largest).toHaveLength(5);
    const [, bill = ''] = text.stdout.split('\n\n');
    expect(bill).toContain(listed.toLocaleString('en-US'));
    const guide = readFileSync('docs/how-to/spend-fewer-tokens.md', 'utf8');
    expect(guide).toContain(`\`\`\`\n${bill}\`\`\`\n`);
    expect(guide).toContain(`costs ${listed.toLocaleString('en-US')} tokens`);
    expect(guide).toContain(`and ${searched} with`);
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
