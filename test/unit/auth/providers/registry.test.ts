import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PROVIDER_IDS } from '../../../../src/settings/schema/providers.ts';

const read = (path: string) => readFileSync(path, 'utf8');

describe.each(PROVIDER_IDS)('the identity provider %s', (id) => {
  it('has tests of its own', () => {
    expect(read(`test/unit/auth/providers/${id}.test.ts`)).toContain(`blockOf('${id}'`);
  });

  it('has a how-to page, which the index of the manual links', () => {
    expect(read(`docs/how-to/auth-${id}.md`)).toContain(`provider: ${id}`);
    expect(read('docs/README.md')).toContain(`how-to/auth-${id}.md`);
  });
});
