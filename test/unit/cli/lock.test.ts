import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/project/finding.ts';
import { project, svc } from './svc.ts';

const TOOL = `svc: 1
tool:
  name: find
  description: Finds one.
  parameters: [{ name: id, type: integer, description: Which one. }]
  source: { code: "SELECT $id AS id" }
`;
const STRICTER = TOOL.replace(
  'description: Which one. }]',
  'description: That one. }, { name: day, type: string, description: When. }]',
).replace('AS id', 'AS id, $day AS day');

describe('svc lock', { timeout: 120_000 }, () => {
  it('writes what clients see, in the same bytes for the same project and without a database', async () => {
    const root = await project();
    writeFileSync(join(root, 'tools/find.yml'), TOOL);
    const first = await svc(['lock', '--json'], root);
    const text = readFileSync(join(root, 'svc-lock.json'), 'utf8');
    const second = await svc(['lock', '--json'], root);
    expect([first.code, second.code]).toEqual([0, 0]);
    expect(readFileSync(join(root, 'svc-lock.json'), 'utf8')).toBe(text);
    expect(JSON.parse(first.stdout)).toMatchObject({ status: 'ok', endpoints: 2, first: true, changes: [] });
    expect(JSON.parse(second.stdout)).toMatchObject({ first: false, changes: [] });
    expect(JSON.parse(text).endpoints['tool find']).toEqual({
      description: 'Finds one.',
      annotations: { readOnlyHint: true },
      input: {
        type: 'object',
        properties: { id: { type: 'integer', description: 'Which one.' } },
        required: ['id'],
        additionalProperties: false,
      },
    });
    expect(readdirSync(root).filter((name) => name.startsWith('svc-lock'))).toEqual(['svc-lock.json']);
    writeFileSync(join(root, 'tools/find.yml'), STRICTER);
    const { stdout } = await svc(['lock'], root);
    expect(stdout).toMatch(/^breaking +tool find: input\.properties\.day\n/m);
    expect(stdout).toMatch(/^2 changes: 1 breaking, 1 wording$/m);
  });
});

describe('svc validate --locked', { timeout: 120_000 }, () => {
  const validate = async (root: string) => {
    const { code, stdout } = await svc(['validate', '--locked', '--json'], root);
    const findings: readonly Finding[] = JSON.parse(stdout).findings;
    return { code, findings };
  };

  it('is an error for each difference, with its class, its place and what to do', async () => {
    const root = await project();
    writeFileSync(join(root, 'tools/find.yml'), TOOL);
    const { code, stderr } = await svc(['validate', '--locked'], root);
    expect(code).toBe(1);
    expect(stderr).toMatch(/There is no contract lock at svc-lock\.json\.\n.*`svc lock`/);
    await svc(['lock'], root);
    expect(await validate(root)).toEqual({ code: 0, findings: [] });

    writeFileSync(join(root, 'tools/find.yml'), STRICTER);
    expect((await svc(['validate'], root)).code).toBe(0);
    const found = await validate(root);
    expect(found.code).toBe(1);
    expect(found.findings).toEqual([
      {
        severity: 'error',
        code: 'lock-breaking',
        file: 'tools/find.yml',
        line: 3,
        column: 3,
        message: expect.stringMatching(
          /^tool find: input\.properties\.day differs from the lock \(breaking\): new: \{"type":"string".*Every call must send it/,
        ),
        fix: expect.stringContaining('svc lock'),
      },
      expect.objectContaining({
        code: 'lock-wording',
        message: expect.stringContaining('Which one. -> That one.'),
      }),
    ]);
  });

  it('shows both halves of a rename, also if the renamed file is named', async () => {
    const root = await project();
    writeFileSync(join(root, 'tools/find.yml'), TOOL);
    await svc(['lock'], root);
    writeFileSync(join(root, 'tools/find.yml'), TOOL.replace('name: find', 'name: search'));
    const { stdout } = await svc(['validate', 'tools/find.yml', '--locked', '--json'], root);
    expect(
      JSON.parse(stdout)
        .findings.map(({ file }: Finding) => file)
        .toSorted(),
    ).toEqual(['svc-lock.json', 'tools/find.yml']);
  });

  it('says so when it cannot compare', async () => {
    const root = await project();
    await svc(['lock'], root);
    writeFileSync(join(root, 'tools/find.yml'), 'svc: 1\ntool: { nam: x }\n');
    const { findings } = await validate(root);
    expect(findings.map(({ code }) => code)).toContain('lock-not-checked');
  });
});
