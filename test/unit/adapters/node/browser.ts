import { accessSync, constants } from 'node:fs';
import axe from 'axe-core';
import type { Frame, Page } from 'playwright-core';

const PLACES = [
  process.env.CHROMIUM,
  // The same engine without a window, for three quarters of the processor time.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The program of a Chromium on this machine; null, and a loud word, where there is none. */
export function findChromium(): string | null {
  const found = PLACES.find((place) => place !== undefined && isProgram(place));
  if (found !== undefined) return found;
  process.stderr.write(
    '\n*** SKIPPED: no Chromium here (apt-get install chromium-headless-shell, or set CHROMIUM) ***\n\n',
  );
  return null;
}

/** The violations that axe finds on a page as it is: contrast, labels, roles, structure. */
export async function violationsOf(page: Page | Frame): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  return page.evaluate<string[]>(`axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 160) + ' ' + failureSummary)))`);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
