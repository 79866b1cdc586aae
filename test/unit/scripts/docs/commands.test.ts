import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../../cli/table.ts';
import { COMMANDS_PAGE, toCommandsPage } from '../../../../scripts/docs/commands.ts';

describe('docs/reference/commands.md', () => {
  it('is as `npx node scripts/docs/write.ts` writes it', () => {
    expect(readFileSync(COMMANDS_PAGE, 'utf8')).toBe(toCommandsPage(COMMANDS));
  });

  it('has every option of every command, and its example', () => {
    const sections = toCommandsPage(COMMANDS).split(/^## /m);
    for (const { usage, options, example } of COMMANDS) {
      const section = sections.find((text) => text.startsWith(`svc ${usage.split(' ')[0]}\n`));
      expect(section).toContain(example);
      for (const { flags } of options) expect(section).toContain(`| \`${flags}\` |`);
    }
  });
});
