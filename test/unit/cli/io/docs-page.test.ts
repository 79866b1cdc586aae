import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { docsPage } from '../../../../cli/io/docs-page.ts';

describe('a page of the docs in a message', () => {
  it('is the file that came with this svc', () => {
    const page = docsPage('how-to/auth-setup.md');
    expect(page).toBe('docs/how-to/auth-setup.md');
    expect(existsSync(page)).toBe(true);
  });

  it('exists wherever a message names one', () => {
    const named = readdirSync('cli', { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('docs-page.ts'))
      .flatMap((file) =>
        Array.from(
          readFileSync(join('cli', file), 'utf8').matchAll(/docsPage\('([^']+)'\)/g),
          ([, page]) => page,
        ),
      );
    expect(named.length).toBeGreaterThan(1);
    expect(named.filter((page) => !existsSync(`docs/${page}`))).toEqual([]);
  });
});
