import { mkdir } from 'node:fs/promises';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium, violationsOf } from '../unit/adapters/node/browser.ts';
import { openServerPage, SERVER_PAGES } from './server-pages.ts';

const executablePath = findChromium();
const SHOTS = 'build/tests/pages';

describe.skipIf(executablePath === null)('the pages of a server in Chromium', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });
    await mkdir(SHOTS, { recursive: true });
  });
  afterAll(() => browser?.close());

  // Requirements: pages.readable
  it.each(Object.keys(SERVER_PAGES))(
    '%s has no fault of contrast, labels or width',
    async (name) => {
      const { page, complaints } = await openServerPage(browser, name, { colorScheme: 'light', width: 400 });
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        for (const width of [400, 1_280]) {
          await page.setViewportSize({ width, height: 760 });
          expect(await violationsOf(page)).toEqual([]);
          const overflow = 'document.documentElement.scrollWidth - innerWidth';
          expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
          await page.screenshot({ path: `${SHOTS}/${name}-${colorScheme}-${width}.png` });
        }
      }
      expect(complaints).toEqual([]);
      await page.close();
    },
    120_000,
  );
});
