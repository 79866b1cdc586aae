import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { openServerPage } from '../../test/browser/server-pages.ts';
import { createViewHost } from '../../test/browser/views-page.ts';
import { KINDS, pictureOptions } from '../../test/browser/views-project.ts';
import { findChromium } from '../../test/unit/adapters/node/browser.ts';
import { ensureBrowser } from '../test/browser.js';
import {
  FOLDER,
  fileOf,
  isWorkbenchView,
  listPictures,
  PICTURES,
  SCREENS,
  type Screen,
  WORKBENCH,
} from './pictures/list.ts';
import { toSmallPng } from './pictures/png.ts';

/*
 * Makes the pictures of docs/images: the workbench of the shop example, each view and each page of a server. Arguments
 * choose pictures by the beginning of their names, such as `view-line`.
 */

const asked = process.argv.slice(2);
const chosen = PICTURES.filter((name) => asked.length === 0 || asked.some((start) => name.startsWith(start)));

const executablePath = findChromium();
const { bin, reason } = await ensureBrowser();
if (bin === null) throw new Error(reason);
if (executablePath !== null) await makePictures(executablePath, bin);

async function makePictures(executablePath: string, packages: string): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const known = new Set(listPictures());
  for (const old of readdirSync(FOLDER)) if (!known.has(old)) rmSync(join(FOLDER, old));
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    await pictureWorkbench(browser);
    await pictureViews(browser, packages);
    await picturePages(browser);
  } finally {
    await browser.close();
  }
}

async function save(page: Page, name: string, screen: Screen): Promise<void> {
  const picture = await page.screenshot();
  writeFileSync(join(FOLDER, fileOf(name, screen)), toSmallPng(picture));
}

async function pictureWorkbench(browser: Browser): Promise<void> {
  const parent = mkdtempSync(join(tmpdir(), 'svc-pictures-'));
  const root = join(parent, 'shop');
  cpSync('examples/shop', root, { recursive: true });
  const args = [resolve('cli/svc.js'), 'dev', '--port', '0', '--json'];
  const program = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const [line] = await once(program.stdout, 'data');
    const { workbench } = JSON.parse(String(line));
    for (const screen of SCREENS) {
      const { colorScheme, width, height } = screen;
      const page = await browser.newPage({ colorScheme, viewport: { width, height } });
      await page.goto(workbench);
      await page.waitForSelector('#connection.good');
      const home = page.url();
      for (const name of chosen.filter(isWorkbenchView)) {
        const { hash, show } = WORKBENCH[name];
        await page.goto(`${home}#${encodeURIComponent(hash)}`);
        await page.locator('[aria-current=page]').first().waitFor();
        await show(page);
        await save(page, name, screen);
      }
      await page.close();
    }
  } finally {
    program.kill();
    rmSync(parent, { recursive: true, force: true });
  }
}

async function pictureViews(browser: Browser, packages: string): Promise<void> {
  const host = await createViewHost(browser, packages);
  for (const { view } of KINDS) {
    const name = `view-${view}`;
    for (const screen of chosen.includes(name) ? SCREENS : []) {
      const { colorScheme, width } = screen;
      const options = pictureOptions(view, colorScheme);
      const { page } = await host.open(view, { ...options, width });
      await save(page, name, screen);
      await page.close();
    }
  }
  await host.close();
}

async function picturePages(browser: Browser): Promise<void> {
  for (const name of chosen.filter((one) => one.startsWith('page-'))) {
    for (const screen of SCREENS) {
      const { page } = await openServerPage(browser, name.slice('page-'.length), screen);
      await save(page, name, screen);
      await page.close();
    }
  }
}
