import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { findChromium } from '../../test/unit/adapters/node/browser.ts';

/* Makes the pictures of docs/images: the workbench of the shop example, light and dark, wide and narrow. */

const FOLDER = 'docs/images';
const SCREENS = [
  { width: 1280, height: 760 },
  { width: 400, height: 760 },
];

const executablePath = findChromium();
if (executablePath !== null) await makePictures(executablePath);

async function makePictures(executablePath: string): Promise<void> {
  const parent = mkdtempSync(join(tmpdir(), 'svc-pictures-'));
  const root = join(parent, 'shop');
  cpSync('examples/shop', root, { recursive: true });
  mkdirSync(FOLDER, { recursive: true });
  const args = [resolve('cli/svc.js'), 'dev', '--port', '0', '--json'];
  const program = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const [line] = await once(program.stdout, 'data');
    const { workbench } = JSON.parse(String(line));
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const viewport of SCREENS) {
        const page = await browser.newPage({ colorScheme, viewport });
        await showComparison(page, workbench);
        await page.screenshot({ path: `${FOLDER}/workbench-${colorScheme}-${viewport.width}.png` });
        await page.close();
      }
    }
  } finally {
    await browser.close();
    program.kill();
    rmSync(parent, { recursive: true, force: true });
  }
}

/** Shows the answers of one call to two users. */
async function showComparison(page: Page, workbench: string): Promise<void> {
  await page.goto(workbench);
  await page.waitForSelector('#connection.good');
  await page.goto(`${page.url()}#${encodeURIComponent('tool/get_customer')}`);
  await page.getByLabel('Run as').selectOption('support');
  await page.getByLabel('Compare with').selectOption('manager');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.locator('.comparison').scrollIntoViewIfNeeded();
  await page.locator('.comparison tr', { hasText: 'phone' }).waitFor();
  if ((page.viewportSize()?.width ?? 0) < 500)
    await page.locator('.comparison').evaluate('(node) => node.scrollIntoView()');
}
