import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Page, proseOf, readPages } from './pages.ts';

const pages = readPages();

describe('links', () => {
  it.each(pages.map((page) => [page.path, page] as const))('of %s lead somewhere', (path, page) => {
    expect(ownLinksOf(page).filter((link) => !leads(path, link))).toEqual([]);
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

it('links of packed pages lead to packed files', { timeout: 180_000 }, () => {
  const packed = packedFiles();
  expect(packed.size).toBeGreaterThan(100);
  const isPacked = (path: string) =>
    packed.has(path) || [...packed].some((file) => file.startsWith(`${path}/`));
  const broken = pages
    .filter(({ path }) => packed.has(path))
    .flatMap((page) => ownLinksOf(page).map((link) => ({ page: page.path, link })))
    .filter(({ page, link }) => !isPacked(join(dirname(page), link.split('#')[0] ?? '').replace(/\/$/, '')))
    .filter(({ link }) => !link.startsWith('#'));
  expect(broken).toEqual([]);
});

/** The files that npm would pack, as far as they are there without a build. */
function packedFiles(): ReadonlySet<string> {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const report: readonly { readonly files: readonly { readonly path: string }[] }[] = Object.values(
    JSON.parse(execFileSync('npm', args, { encoding: 'utf8', maxBuffer: 2 ** 26 })),
  );
  return new Set(report.flatMap(({ files }) => files.map(({ path }) => path)));
}

/** The links of a page to other pages and files. */
function ownLinksOf(page: Page): readonly string[] {
  const links = Array.from(proseOf(page).matchAll(/\]\(([^)\s]+)\)/g), ([, link = '']) => link);
  return links.filter((link) => !/^(https?|mailto):/.test(link));
}

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
