import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callLegacy } from '../../legacy-request.ts';
import { findChromium } from '../adapters/node/browser.ts';
import { project, Svc } from './svc.ts';

const executablePath = findChromium();
const SHOTS = 'build/tests/pages';

const DENIES = `svc: 1
tool:
  name: secret_report
  description: Nobody may.
  parameters: []
  source: { code: SELECT 1 AS x }
  policies: { input: [{ condition: "true", action: deny, reason: not for you }] }
`;

describe.skipIf(executablePath === null)('the pages of the admin API in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });
    await mkdir(SHOTS, { recursive: true });
  });
  afterAll(() => browser.close());

  async function open(page: Page, url: string) {
    const complaints: string[] = [];
    const asked = new Set<string>();
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => asked.add(new URL(request.url()).host));
    await page.goto(url);
    return { complaints, asked };
  }

  // Requirements: admin./docs
  it('show what runs, reload it, and send what is asked, with nothing from elsewhere', async () => {
    const root = await project();
    await writeFile(join(root, 'tools/secret.yml'), DENIES);
    await writeFile(join(root, 'tools/broken.yml'), 'svc: 1\ntool: { nome: x }\n');
    const env = {
      SVC_ADMIN_ENABLED: 'true',
      SVC_ADMIN_SOCKET: join(root, 'svc.sock'),
      SVC_AUDIT_ENABLED: 'true',
    };
    const server = new Svc(['serve', '--port', '0', '--json'], { cwd: root, env });
    const { url } = JSON.parse((await server.until(/^.*\n/))[0]);
    for (let turn = 0; turn < 20; turn += 1) await callLegacy(url, 'hello_world', { name: 'Ada' });
    for (let turn = 0; turn < 3; turn += 1) await callLegacy(url, 'secret_report', {});
    const web = new Svc(['admin', '--web', '--json', '--socket', env.SVC_ADMIN_SOCKET], { cwd: root });
    const { url: address } = JSON.parse((await web.until(/^.*\n/))[0]);
    const { origin } = new URL(address);
    expect((await fetch(`${origin}/status`)).status).toBe(403);

    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({ colorScheme, viewport: { width: 1100, height: 900 } });
      const page = await context.newPage();
      const { complaints, asked } = await open(page, address);
      await page.waitForSelector('#connection.good');
      const home = page.url();
      expect(home).toMatch(new RegExp(`^${origin}/[\\w-]{32}/$`));
      expect(await page.textContent('h1')).toContain('demo');
      await page.locator('.cards', { hasText: '23' }).waitFor();
      expect(await page.locator('.endpoints').textContent()).toContain('broken broken');
      await page.goto(`${home}#server`);
      await page.click('#reload');
      await page.locator('#reloaded', { hasText: /^reloaded/ }).waitFor();
      await page.goto(`${home}#`);
      await page.screenshot({ path: `${SHOTS}/admin-${colorScheme}.png`, fullPage: true });
      await page.goto(`${home}docs`);
      await page.locator('#audit-query').getByLabel('limit').fill('2');
      await page.locator('#audit-query button').click();
      const output = page.locator('#audit-query output');
      await output.locator('pre').waitFor();
      expect(JSON.parse((await output.textContent())?.replace(/^.*\n/, '') ?? '').count).toBe(2);
      await page.screenshot({ path: `${SHOTS}/admin-docs-${colorScheme}.png` });
      await page.goto(`${home}redoc`);
      expect(await page.textContent('#status')).toContain('reload.last_reload_error');
      await page.screenshot({ path: `${SHOTS}/admin-redoc-${colorScheme}.png` });
      expect({ complaints, asked: [...asked] }).toEqual({ complaints: [], asked: [new URL(origin).host] });
      await context.close();
    }
    const narrow = await browser.newContext({ viewport: { width: 360, height: 740 } });
    const page = await narrow.newPage();
    await page.goto(address);
    await page.waitForSelector('#connection.good');
    await page.screenshot({ path: `${SHOTS}/admin-narrow.png`, fullPage: true });
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    await narrow.close();
  }, 60_000);
});
