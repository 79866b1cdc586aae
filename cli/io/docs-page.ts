import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of pages: beside `cli` in a checkout, above `dist` in the package. */
const FOLDERS = ['../../docs/', '../../../docs/'].map((path) => new URL(path, import.meta.url));

/**
 * The path of a page that came with this svc, from the current folder if that is shorter.
 *
 * @example docsPage('how-to/auth-setup.md') // node_modules/svc-kit/docs/how-to/auth-setup.md
 */
export function docsPage(page: string): string {
  const pages = FOLDERS.map((folder) => fileURLToPath(new URL(page, folder)));
  const absolute = pages.find((path) => existsSync(path));
  if (absolute === undefined) return `docs/${page}`;
  const near = relative(process.cwd(), absolute);
  return near.length < absolute.length ? near : absolute;
}
