import type { Page } from 'playwright-core';
import { SERVER_PAGES } from '../../../test/browser/server-pages.ts';
import { KINDS } from '../../../test/browser/views-project.ts';

/** The folder of all pictures. */
export const FOLDER = 'docs/images';

/** A size of the window and a colour scheme. */
export interface Screen {
  readonly colorScheme: 'light' | 'dark';
  readonly width: number;
  readonly height: number;
}

export const SCREENS: readonly Screen[] = [
  { colorScheme: 'light', width: 1_280, height: 760 },
  { colorScheme: 'light', width: 400, height: 760 },
  { colorScheme: 'dark', width: 1_280, height: 760 },
  { colorScheme: 'dark', width: 400, height: 760 },
];

interface WorkbenchView {
  /** The part of the address after `#`. */
  readonly hash: string;
  readonly show: (page: Page) => Promise<void>;
}

/** The views of the workbench, and the steps to a telling picture of each. */
export const WORKBENCH = {
  workbench: { hash: 'tool/get_customer', show: showComparison },
  'workbench-chart': { hash: 'tool/search_products', show: showChart },
  'workbench-overview': { hash: '', show: async () => {} },
  'workbench-calls': { hash: 'calls', show: (page) => page.locator('#calls button').first().click() },
  'workbench-access': { hash: 'access', show: async () => {} },
  'workbench-findings': { hash: 'findings', show: async () => {} },
  'workbench-server': { hash: 'server', show: (page) => page.locator('#databases').waitFor() },
} as const satisfies { readonly [name: string]: WorkbenchView };

export function isWorkbenchView(name: string): name is keyof typeof WORKBENCH {
  return Object.hasOwn(WORKBENCH, name);
}

/** The names of all pictures. */
export const PICTURES: readonly string[] = [
  ...Object.keys(WORKBENCH),
  ...KINDS.map(({ view }) => `view-${view}`),
  ...Object.keys(SERVER_PAGES).map((name) => `page-${name}`),
];

/** The file of a picture. */
export function fileOf(name: string, { colorScheme, width }: Screen): string {
  return `${name}-${colorScheme}-${width}.png`;
}

/** The files of all pictures. */
export function listPictures(): readonly string[] {
  return PICTURES.flatMap((name) => SCREENS.map((screen) => fileOf(name, screen)));
}

/** Shows the answers of one call to two users. */
async function showComparison(page: Page): Promise<void> {
  await page.getByLabel('Run as').selectOption('support');
  await page.getByLabel('Compare with').selectOption('manager');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.locator('.comparison').scrollIntoViewIfNeeded();
  await page.locator('.comparison tr', { hasText: 'phone' }).waitFor();
  if ((page.viewportSize()?.width ?? 0) < 500)
    await page.locator('.comparison').evaluate('(node) => node.scrollIntoView()');
}

/** Shows an answer as a chart. */
async function showChart(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('tab', { name: 'Chart' }).click();
  await page.locator('.drawing figcaption').waitFor();
  await page.locator('#tests').waitFor();
  await page.mouse.move(0, 0);
  await page.evaluate(
    'scrollTo(0, document.querySelector(".result").getBoundingClientRect().top + scrollY - 70)',
  );
}
