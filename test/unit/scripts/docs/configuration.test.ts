import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FLAGS } from '../../../../cli/project/settings.ts';
import { COMMANDS } from '../../../../cli/table.ts';
import {
  CONFIGURATION_PAGE,
  outdated,
  toConfigurationPage,
  undescribed,
} from '../../../../scripts/docs/configuration.ts';
import { keysOf } from '../../../../scripts/docs/keys.ts';
import { SITE_FILE } from '../../../../src/project/schema/site.ts';
import { USER_FILE } from '../../../../src/settings/schema/user.ts';
import { VARIABLES } from '../../../../src/settings/variables.ts';

describe('docs/reference/configuration.md', () => {
  it('has a row for every key, and none for others', () => {
    expect(undescribed()).toEqual([]);
    expect(outdated()).toEqual([]);
    const page = readFileSync(CONFIGURATION_PAGE, 'utf8');
    const keys = [...keysOf(SITE_FILE), ...keysOf(USER_FILE)].map(({ key }) => key);
    expect(keys.length).toBeGreaterThan(100);
    expect(keys.filter((key) => !page.includes(`| \`${key}\``))).toEqual([]);
    expect(VARIABLES.filter(({ name }) => !page.includes(`| \`${name}\` |`))).toEqual([]);
  });

  it('is as `npx node scripts/docs/write.ts` writes it', async () => {
    expect(readFileSync(CONFIGURATION_PAGE, 'utf8')).toBe(await toConfigurationPage());
  });

  it('names flags that there are', () => {
    const known = COMMANDS.flatMap(({ options }) => options.map(({ flags }) => flags.split(' ')[0]));
    expect(FLAGS.filter(({ flag }) => !known.includes(flag))).toEqual([]);
  });
});
