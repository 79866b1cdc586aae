import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ENDPOINTS_PAGE, toEndpointsPage, undocumented } from '../../../../scripts/docs/endpoints.ts';
import { editorSchemaOf } from '../../../../src/quality/editor/files.ts';

type Part = {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly $defs?: Readonly<Record<string, Part>>;
};

describe('docs/reference/endpoints.md', () => {
  it('is as `npx node scripts/docs/write.ts` writes it', () => {
    expect(readFileSync(ENDPOINTS_PAGE, 'utf8')).toBe(toEndpointsPage());
  });

  it('has every key of every part', () => {
    const page = toEndpointsPage();
    const schema = editorSchemaOf('endpoint') as Part;
    const sections = new Map(page.split(/^## /m).map((text) => [text.split('\n')[0], text]));
    for (const [name, part] of [['', schema], ...Object.entries(schema.$defs ?? {})] as const) {
      const section = name === '' ? page : sections.get(name);
      for (const key of Object.keys(part.properties ?? {}))
        expect(section).toMatch(new RegExp(`^\\| \`${key}\``, 'm'));
    }
    expect(undocumented()).toEqual([]);
  });
});
