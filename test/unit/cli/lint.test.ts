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

/** One of many tools, tagged by one of twenty areas. */
function toTool(index: number): string {
  return `svc: 1
tool:
  name: report_${index}
  description: Returns the monthly figures of report ${index}, newest first.
  tags: [area_${index % 20}]
  parameters:
    - { name: month, type: string, format: date, description: First day of the month. }
    - { name: region, type: string, description: Code of the region., default: null }
  return: { type: array, items: { type: object, properties: { month: { type: string }, total: { type: number } } } }
  source: { code: "SELECT $month AS month, 1 AS total WHERE $region IS NULL" }
`;
}

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
  it('--tokens compares 200 tools with a toolset, and with search and call', async () => {
    const root = await project();
    for (let index = 0; index < 200; index += 1) {
      writeFileSync(join(root, `tools/t${index}.yml`), toTool(index));
    }
    const [json, text] = await Promise.all([
      svc(['lint', '--tokens', '--json'], root),
      svc(['lint', '--tokens', '--severity', 'error'], root),
    ]);
    const { tools, listed, searched, toolsets, largest } = JSON.parse(json.stdout).tokens;
    expect(tools).toBe(201);
    expect(listed).toBeGreaterThan(200 * 60);
    expect(searched).toBeLessThan(300);
    const area = toolsets.find(({ tag }: { tag: string }) => tag === 'area_7');
    expect(area).toMatchObject({ tools: 10 });
    expect(area.tokens).toBeLessThan(listed / 15);
    expect(largest).toHaveLength(5);
    expect(text.stdout).toMatch(/^ +all tools +[\d,]+ +201 tools$/m);
    expect(text.stdout).toMatch(/^ +tool_search: true +\d+ /m);
    expect(text.stdout).toMatch(/^ +\/mcp\?tags=area_7 +[\d,]+ +10 tools$/m);
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
