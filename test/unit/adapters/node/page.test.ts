import { mkdir } from 'node:fs/promises';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpServer, startHttpServer } from '../../../../adapters/node/http/server.ts';
import { createFakeRuntime, createTestApp } from '../../mcp/fixture.ts';
import { findChromium } from './browser.ts';

const executablePath = findChromium();
const SHOTS = 'build/tests/pages';

const SCREENS = [
  { name: 'wide-light', colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  { name: 'wide-dark', colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  { name: 'narrow-light', colorScheme: 'light', viewport: { width: 360, height: 740 } },
  { name: 'narrow-dark', colorScheme: 'dark', viewport: { width: 360, height: 740 } },
] as const;

describe.skipIf(executablePath === null)('the page at / in Chromium', () => {
  let server: HttpServer;
  let browser: Browser;
  beforeAll(async () => {
    const app = createTestApp(createFakeRuntime());
    server = await startHttpServer({ app, host: '127.0.0.1', port: 0 });
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });
    await mkdir(SHOTS, { recursive: true });
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  it.each(SCREENS)('$name', async ({ name, ...screen }) => {
    const page = await browser.newPage(screen);
    const complaints: string[] = [];
    const asked: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(`${server.url}/`);
    await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
    expect(await page.title()).toContain('demo');
    expect(complaints).toEqual([]);
    expect(asked.filter((path) => path !== '/favicon.ico')).toEqual(['/']);
    const overflow = 'document.documentElement.scrollWidth - innerWidth';
    expect(await page.evaluate<number>(overflow)).toBeLessThanOrEqual(0);
    expect(await page.evaluate<string>('getComputedStyle(document.body).color')).toBe(
      screen.colorScheme === 'dark' ? 'rgb(230, 234, 241)' : 'rgb(27, 35, 48)',
    );
    await page.close();
  });

  it('gives all of a snippet to one click', async () => {
    const page = await browser.newPage();
    await page.goto(`${server.url}/`);
    const code = page.locator('article', { hasText: 'Claude Code' }).locator('code');
    await code.click();
    const selected = await page.evaluate<string>('getSelection().toString()');
    expect(selected).toBe(`claude mcp add --transport http demo ${server.url}/mcp`);
    await page.close();
  });
});
