import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { proseOf, readPages } from './pages.ts';

const pages = readPages();

describe('links', () => {
  it.each(pages.map((page) => [page.path, page] as const))('of %s lead somewhere', (path, page) => {
    const links = Array.from(proseOf(page).matchAll(/\]\(([^)\s]+)\)/g), ([, link = '']) => link);
    const own = links.filter((link) => !/^(https?|mailto):/.test(link));
    expect(own.filter((link) => !leads(path, link))).toEqual([]);
  });

  it('to tests name files that there are', () => {
    const text = readFileSync('docs/explanation/security.md', 'utf8');
    const named = Array.from(text.matchAll(/`((?:unit|engine|matrix)\/[^`*]+)`/g), ([, path = '']) => path);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => !existsSync(join('test', path)))).toEqual([]);
  });

  it('of docs/README.md are to every page', () => {
    const index = readFileSync('docs/README.md', 'utf8');
    const below = pages.map(({ path }) => path).filter((path) => /^docs\/.+\/.+\.md$/.test(path));
    expect(below.length).toBeGreaterThan(20);
    expect(below.filter((path) => !index.includes(`(${path.slice('docs/'.length)})`))).toEqual([]);
  });
});

function leads(page: string, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const path = file === '' ? page : join(dirname(page), file);
  if (!existsSync(path)) return false;
  return anchor === undefined || anchorsOf(path).includes(anchor);
}

/** The names that GitHub gives to headings. */
function anchorsOf(path: string): readonly string[] {
  const headings = readFileSync(path, 'utf8').matchAll(/^#+ (.+)$/gm);
  return Array.from(headings, ([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
}
