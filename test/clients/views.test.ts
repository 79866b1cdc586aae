import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { build } from 'esbuild';
import { type Browser, chromium, type Frame, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpServer, startHttpServer } from '../../adapters/node/http/server.ts';
import { createApp } from '../../src/app.ts';
import { LOCAL_ACCESS } from '../../src/http/access.ts';
import { findChromium } from '../unit/adapters/node/browser.ts';
import { type Served, serveTree } from '../unit/call/project.ts';

/* Views in the official AppBridge, in a real Chromium. `npm run test:clients` installs the bridge. */

const BIN = process.env.SVC_TEST_CLIENTS;
const executablePath = findChromium();
const SHOTS = 'build/tests/views';

const SEED = `CREATE TABLE sales AS SELECT i AS id, DATE '2020-01-01' + (i % 2000)::INT AS day,
  'shop ' || (i % 5) AS shop, round(1000 + 500 * sin(i / 50), 2)::DOUBLE AS total, 'secret-card-' || i AS card,
  48.0 + (i % 70) / 10.0 AS lat, 2.0 + (i % 90) / 10.0 AS lon FROM range(1000000) t(i)`;

const paged = `parameters:
    - { name: limit, type: integer, default: 50, maximum: 1000 }
    - { name: offset, type: integer, default: 0 }`;
const MASKED = `policies: { output: [{ condition: "true", action: mask_fields, fields: [card] }] }`;
const tool = (name: string, view: string, sql: string, more = '') => `tool:
  name: ${name}
  title: All ${name}
  view: ${view}
  ${more}
  ${sql.includes('SELECT *') ? MASKED : ''}
  source: { code: "${sql}" }
`;
const TREE = {
  'tools/rows.yml': tool(
    'rows',
    'table',
    'SELECT * FROM sales ORDER BY id LIMIT $limit OFFSET $offset',
    paged,
  ),
  'tools/one.yml': tool('one', 'table', 'SELECT * FROM sales ORDER BY id LIMIT 1'),
  'tools/thousand.yml': tool('thousand', 'table', 'SELECT * FROM sales ORDER BY id LIMIT 1000'),
  'tools/line.yml': tool(
    'line',
    'line',
    'SELECT day, sum(total) AS total, count(*) AS pieces FROM sales GROUP BY day ORDER BY day LIMIT 1000',
  ),
  'tools/area.yml': tool(
    'area',
    'area',
    'SELECT day, sum(total) AS total FROM sales GROUP BY day ORDER BY day LIMIT 40',
  ),
  'tools/bar.yml': tool(
    'bar',
    'bar',
    'SELECT shop, sum(total) AS total, avg(id) AS mean FROM sales GROUP BY shop ORDER BY shop',
  ),
  'tools/scatter.yml': tool('scatter', 'scatter', 'SELECT id, total FROM sales ORDER BY id LIMIT 300'),
  'tools/number.yml': tool(
    'number',
    'number',
    'SELECT sum(total)::DOUBLE AS revenue, count(*) AS pieces FROM sales',
  ),
  'tools/map.yml': tool(
    'map',
    'map',
    'SELECT shop, lat::DOUBLE AS lat, lon::DOUBLE AS lon FROM sales ORDER BY id LIMIT 60',
  ),
};

interface OpenOptions {
  readonly args?: { readonly [name: string]: unknown };
  readonly context?: { readonly [name: string]: unknown };
  readonly mode?: unknown;
  readonly width?: number;
}

describe.skipIf(BIN === undefined || executablePath === null)('views in AppBridge', () => {
  let served: Served;
  let server: HttpServer;
  let browser: Browser;
  let script: string;

  beforeAll(async () => {
    served = await serveTree(TREE, SEED);
    const { log } = served.runtime;
    const runtime = () => served.runtime;
    const app = createApp({ runtime, version: '1.2.3', stateless: false, log, access: () => LOCAL_ACCESS });
    server = await startHttpServer({ app, host: '127.0.0.1', port: 0 });
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });
    await mkdir(SHOTS, { recursive: true });
    const { outputFiles } = await build({
      entryPoints: ['test/clients/views-host.js'],
      bundle: true,
      format: 'iife',
      platform: 'browser',
      write: false,
      nodePaths: [dirname(BIN ?? '')],
      logLevel: 'silent',
    });
    script = outputFiles[0]?.text ?? '';
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
    await served?.close();
  });

  /** Opens a view as a host does, and fails for any error in the browser. */
  async function open(
    name: string,
    { args = {}, context = {}, mode = 'auto', width = 800 }: OpenOptions = {},
  ) {
    const page = await browser.newPage({ viewport: { width, height: 760 } });
    const complaints: string[] = [];
    const requests: string[] = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => requests.push(request.url()));
    const html = '<!doctype html><link rel="icon" href="data:,"><title>host</title><body></body>';
    await page.route(`${server.url}/host`, (route) =>
      route.fulfill({ contentType: 'text/html', body: html }),
    );
    await page.goto(`${server.url}/host`);
    await page.addScriptTag({ content: script });
    const options = JSON.stringify({ url: `${server.url}/mcp`, name, args, context, mode });
    const sent = await page.evaluate<{ content: unknown[] }>(`open_view(${options})`);
    const frame = page.frames().find((one) => one !== page.mainFrame());
    if (frame === undefined) throw new Error('there is no frame');
    page.setDefaultTimeout(20_000);
    await frame
      .waitForSelector('[role=region], figure svg, .figures, p.message:not(:has-text("…"))')
      .catch((cause) => {
        throw new Error(`the view stays empty: ${complaints.join(', ')}`, { cause });
      });
    expect(await frame.locator('p.message').allTextContents()).toEqual([]);
    expect(complaints).toEqual([]);
    const outside = requests.filter((url) => !url.startsWith(server.url) && !/^(data|about|blob):/.test(url));
    expect(outside).toEqual([]);
    return { page, frame, sent };
  }

  const cells = (frame: Frame, column: number) =>
    frame.locator(`tbody tr td:nth-child(${column})`).allTextContents();
  const shoot = (page: Page, name: string) => page.screenshot({ path: `${SHOTS}/${name}.png` });

  // Requirements: view.tokens
  it.each([
    ['one', 1, 1],
    ['thousand', 50, 1_000],
  ])('shows a table of %s, and sends the model under 400 tokens', async (name, shown, total) => {
    const { page, frame, sent } = await open(name);
    expect(await frame.locator('tbody tr').count()).toBe(shown);
    expect(await frame.locator('header [role=status]').textContent()).toContain(
      total === 1 ? '1–1' : '1–50 of 1,000',
    );
    expect(JSON.stringify(sent.content).length / 4).toBeLessThan(400);
    await shoot(page, name);
    await page.close();
  });

  // Requirements: view.paging
  it.each(['auto', 'legacy'])('pages through a million rows by calling the tool: %s', async (mode) => {
    const { page, frame, sent } = await open('rows', { mode, args: { limit: 50 } });
    expect(JSON.stringify(sent.content).length / 4).toBeLessThan(400);
    expect((await cells(frame, 1)).slice(0, 2)).toEqual(['0', '1']);
    await frame.getByRole('button', { name: 'Next' }).click();
    await frame.locator('tbody tr:first-child td:first-child', { hasText: /^50$/ }).waitFor();
    expect(await frame.locator('header [role=status]').textContent()).toBe('51–100');
    expect(served.records.at(-1)).toMatchObject({ name: 'rows', args: { limit: 50, offset: 50 } });
    await frame.getByRole('button', { name: 'Previous' }).click();
    await frame.locator('tbody tr:first-child td:first-child', { hasText: /^0$/ }).waitFor();
    await page.close();
    const last = await open('rows', { mode, args: { limit: 50, offset: 999_950 } });
    expect((await cells(last.frame, 1)).at(-1)).toBe('999,999');
    await last.page.close();
  });

  // Requirements: view.paging, view.reader
  it('sorts by a click or a key, and exports what is shown', async () => {
    const { page, frame } = await open('thousand');
    const head = frame.getByRole('button', { name: 'id' });
    await head.click();
    await head.press('Enter');
    expect((await cells(frame, 1))[0]).toBe('999');
    expect(await frame.locator('th').first().getAttribute('aria-sort')).toBe('descending');
    await frame.getByRole('button', { name: 'Export' }).click();
    await page.waitForFunction('globalThis.downloads.length === 1');
    const [file] = await page.evaluate<{ resource: { text: string; uri: string } }[]>('globalThis.downloads');
    expect(file?.resource.uri).toBe('file:///thousand.csv');
    expect(file?.resource.text.split('\r\n').slice(0, 2)).toEqual([
      'id,day,shop,total,card,lat,lon',
      expect.stringMatching(/^999,2022-09-26,shop 4,/),
    ]);
    expect(file?.resource.text.trimEnd().split('\r\n')).toHaveLength(51);
    await page.close();
  });

  // Requirements: view.rules
  it('has no masked value anywhere in its memory', async () => {
    const { page, frame } = await open('thousand');
    expect((await cells(frame, 5))[0]).toBe('****');
    const session = await page
      .context()
      .newCDPSession(frame)
      .catch(() => page.context().newCDPSession(page));
    let heap = '';
    session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => {
      heap += chunk;
    });
    await session.send('HeapProfiler.takeHeapSnapshot');
    expect(heap).toContain('shop 3');
    expect(heap).not.toContain('secret-card');
    await page.close();
  });

  // Requirements: view.kinds
  it.each(['line', 'area', 'bar', 'scatter', 'map'])('draws %s within its frame', async (name) => {
    for (const width of [400, 1_280]) {
      const { page, frame } = await open(name, { width });
      const marks = await frame.locator('svg .series > *').count();
      expect(marks).toBeGreaterThan(1);
      const inside = await frame.evaluate<boolean>(`(() => {
        const { left, right, top, bottom } = document.querySelector('svg').getBoundingClientRect();
        return [...document.querySelectorAll('svg .series > *')].every((one) => {
          const box = one.getBoundingClientRect();
          return box.left >= left && box.right <= right + 1 && box.top >= top - 1 && box.bottom <= bottom;
        });
      })()`);
      expect(inside).toBe(true);
      expect(await frame.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(
        0,
      );
      expect(await frame.locator('svg').getAttribute('aria-label')).toContain(name);
      await shoot(page, `${name}-${width}`);
      await page.close();
    }
  });

  // Requirements: view.reader
  it('shows numbers and dates in the language of the host, light or dark', async () => {
    const german = { locale: 'de-DE', timeZone: 'Europe/Berlin', theme: 'dark' };
    const { page, frame } = await open('number', { context: german });
    expect(await frame.locator('.figures b').last().textContent()).toBe('1.000.000');
    expect(await frame.locator('.figures span').last().textContent()).toBe('pieces');
    const background = () => frame.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    expect(await background()).toBe('rgb(23, 26, 32)');
    await page.evaluate("bridge.setHostContext({ locale: 'en-US', theme: 'light' })");
    await frame.locator('.figures b', { hasText: '1,000,000' }).waitFor();
    expect(await background()).toBe('rgb(255, 255, 255)');
    await page.close();
    const table = await open('one', { context: german });
    expect((await cells(table.frame, 2))[0]).toBe('01.01.2020');
    await shoot(table.page, 'dark');
    await table.page.close();
  });

  it('tells the host its size', async () => {
    const { page } = await open('one');
    await page.waitForFunction('globalThis.sizes.some(({ height }) => height > 50)');
    await page.close();
  });
});
