import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { project, svc } from './svc.ts';

describe('svc list', () => {
  // Requirements: command.list
  it('shows every endpoint, disabled and broken ones too', async () => {
    const root = await project();
    writeFileSync(join(root, 'tools/broken.yml'), 'svc: 1\ntool:\n  name: [\n');
    writeFileSync(
      join(root, 'tools/off.yaml'),
      'svc: 1\ntool:\n  name: off\n  description: |\n    Off\n    for now\n  enabled: false\n  source: { code: SELECT 1 AS one }\n',
    );
    for (const name of ['resources', 'prompts']) mkdirSync(join(root, name), { recursive: true });
    writeFileSync(
      join(root, 'resources/terms.yml'),
      'svc: 1\nresource: { uri: "a://terms", source: { code: SELECT 1 AS one } }\n',
    );
    writeFileSync(
      join(root, 'prompts/review.yml'),
      'svc: 1\nprompt: { name: review, messages: [{ prompt: Hi }] }\n',
    );
    const [text, json] = [await svc(['list'], root), await svc(['list', '--json'], root)];
    expect(text.code).toBe(0);
    expect(text.stdout).toMatch(
      /^tool {6}hello_world {2}ok +tools\/hello_world\.yml {2}Greets somebody by name$/m,
    );
    expect(text.stdout).toMatch(/^tool {6}off {10}disabled {2}tools\/off\.yaml {9}Off\n5 endpoints$/m);
    const { endpoints } = JSON.parse(json.stdout);
    expect(endpoints).toEqual([
      {
        kind: 'prompt',
        name: 'review',
        description: null,
        file: 'prompts/review.yml',
        status: 'ok',
        error: null,
      },
      {
        kind: 'resource',
        name: 'a://terms',
        description: null,
        file: 'resources/terms.yml',
        status: 'ok',
        error: null,
      },
      {
        kind: 'tool',
        name: null,
        description: null,
        file: 'tools/broken.yml',
        status: 'error',
        error: expect.any(String),
      },
      {
        kind: 'tool',
        name: 'hello_world',
        description: 'Greets somebody by name',
        file: 'tools/hello_world.yml',
        status: 'ok',
        error: null,
      },
      {
        kind: 'tool',
        name: 'off',
        description: 'Off\nfor now\n',
        file: 'tools/off.yaml',
        status: 'disabled',
        error: null,
      },
    ]);
  });

  it('says why it cannot list them, for a wrong profile and a broken site file', async () => {
    const root = await project();
    const wrong = await svc(['list', '--profile', 'nowhere'], root);
    expect(wrong).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('"nowhere"') });
    writeFileSync(join(root, 'svc-site.yml'), 'svc: 1\nproject: [\n');
    const broken = await svc(['list', '--json'], root);
    expect(broken.code).toBe(1);
    expect(JSON.parse(broken.stdout).error.code).toBe('project_invalid');
  });
});
