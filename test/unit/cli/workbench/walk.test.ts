import { cpSync } from 'node:fs';
import { mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callLegacy } from '../../../legacy-request.ts';
import { findChromium, violationsOf } from '../../adapters/node/browser.ts';
import { folder, Svc } from '../svc.ts';

const executablePath = findChromium();
const SHOTS = 'build/tests/pages';

const LOST_TABLE = `svc: 1
tool:
  name: lost_table
  description: Reads a table that is not there.
  source: { code: SELECT * FROM no_such_table }
`;

const SAMPLING = `svc: 1
tool:
  name: summary
  description: Asks the model of the client.
  ask: [{ name: word, kind: sampling, message: Describe the shop in a word, otherwise: skip }]
  source: { code: "SELECT $word AS word, 1 AS one" }
`;

/** The shop example under `svc dev`: its folder, its served address and its workbench. */
async function openShop() {
  const root = join(folder(), 'shop');
  cpSync('examples/shop', root, { recursive: true });
  const program = new Svc(['dev', '--port', '0', '--json'], { cwd: root });
  const { url, workbench } = JSON.parse((await program.until(/^.*\n/))[0]);
  return { root, url, workbench };
}

/** A page of the workbench that notes every complaint of the browser. */
async function openPage(context: BrowserContext, workbench: string) {
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(workbench);
  await page.waitForSelector('#connection.good');
  const home = page.url();
  const show = async (view: string) => {
    await page.goto(`${home}#${encodeURIComponent(view)}`);
    await page.locator('[aria-current=page]').first().waitFor();
  };
  return { page, complaints, show };
}

/** Stops the clock of a page: its timers, its frames of animation and its time. Returns the time at which it stands. */
async function stopClock(page: Page): Promise<number> {
  await page.clock.install();
  await page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + 1_000);
  return page.evaluate<number>('Date.now()');
}

describe.skipIf(executablePath === null)('the workbench in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });
    await mkdir(SHOTS, { recursive: true });
  });
  afterAll(() => browser.close());

  // Requirements: workbench.walk, workbench.chart, workbench.failure, workbench.questions, workbench.reload
  it('leads from a nested form over two users, a saved test and a finding to the call of another client', async () => {
    const { root, url, workbench } = await openShop();
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const { page, complaints, show } = await openPage(context, workbench);
    page.setDefaultTimeout(60_000);

    // a form with nested arguments
    await show('tool/quote_basket');
    await page.getByRole('button', { name: 'Clear' }).click();
    for (const [index, sku] of ['TEA-001', 'TEA-002'].entries()) {
      await page.getByRole('button', { name: 'Add to basket' }).click();
      await page.locator('.item').nth(index).getByLabel('sku').fill(sku);
    }
    await page.locator('.item').nth(1).getByLabel('quantity').fill('9');
    await page.getByRole('button', { name: 'Fill in options' }).click();
    await page.getByLabel('express').selectOption('true');
    await page.getByLabel('express').press('Control+Enter');
    const quote = page.locator('.result');
    await quote.getByText('pieces').waitFor();
    expect(await quote.locator('tr', { hasText: 'pieces' }).textContent()).toBe('pieces10');
    await quote.getByRole('tab', { name: 'Client' }).click();
    await quote.getByText('"method": "tools/call"').waitFor();
    await quote.getByRole('tab', { name: 'Client' }).press('ArrowRight');
    await quote.getByText('svc.database.execute').waitFor();

    // the same call as two users, with the masked column marked
    await show('tool/get_customer');
    await page.getByLabel('id', { exact: false }).first().fill('1');
    await page.getByLabel('Run as').selectOption('support');
    await page.getByLabel('Compare with').selectOption('manager');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const phone = page.locator('.comparison tr', { hasText: 'phone' });
    await phone.getByText('****').waitFor();
    expect(await phone.getAttribute('class')).toBe('differs');
    expect(await phone.textContent()).toBe('phone differs****+44 20 7946 0001');
    const same = page.locator('.comparison tr', { hasText: 'address.city' });
    expect(await same.getAttribute('class')).toBe('');

    // the call becomes a test, after its change was shown
    const file = join(root, 'tools/get_customer.yml');
    const before = await readFile(file, 'utf8');
    await page.getByLabel('Name of the test').fill('from the workbench');
    await page.getByRole('button', { name: 'Show the change' }).click();
    await page.locator('.diff', { hasText: '+     - name: from the workbench' }).waitFor();
    expect(await readFile(file, 'utf8')).toBe(before);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved in tools/get_customer.yml.').waitFor();
    expect(await readFile(file, 'utf8')).toContain('name: from the workbench');
    await page.locator('#tests h2', { hasText: '6' }).waitFor();
    await page.getByRole('button', { name: 'Run tests' }).click();
    await page.locator('.report li', { hasText: 'from the workbench' }).waitFor();
    expect(await page.locator('.report .good').count()).toBe(6);

    // an answer as a chart, drawn as clients with views draw it
    await show('tool/search_products');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('tab', { name: 'Chart' }).click();
    await page.locator('.drawing svg .s0 rect').first().waitFor();
    expect(await page.locator('.drawing svg .s0 rect').count()).toBe(4);
    await page.getByLabel('Kind of chart').selectOption('line');
    await page.locator('.drawing svg .s1 path.line').waitFor();

    // an error as its client meets it, with the reason for the author
    await writeFile(join(root, 'tools/lost_table.yml'), LOST_TABLE);
    await page.locator('nav a', { hasText: 'lost_table' }).waitFor();
    await show('tool/lost_table');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const failure = page.locator('.failure');
    await failure.waitFor();
    const [told, , , reason] = await failure.locator('> *').allTextContents();
    expect(told).toMatch(/^The query of this endpoint failed\. \(error id [\w-]+\)$/);
    expect(reason).toContain('no_such_table');
    await unlink(join(root, 'tools/lost_table.yml'));

    // a question to the client's model, answered in a form
    await writeFile(join(root, 'tools/summary.yml'), SAMPLING);
    await page.locator('nav a', { hasText: 'summary' }).waitFor();
    await show('tool/summary');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('.result legend', { hasText: 'Describe the shop in a word' }).waitFor();
    expect(await page.getByRole('button', { name: 'Decline' }).count()).toBe(0);
    await page.locator('.result').getByLabel('text').fill('cosy');
    await page.locator('.result').getByRole('button', { name: 'Answer' }).click();
    await page.locator('.result td', { hasText: 'cosy' }).waitFor();
    await unlink(join(root, 'tools/summary.yml'));

    // a reload, and the databases
    await show('server');
    await page.locator('#databases', { hasText: 'answers' }).waitFor();
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.locator('#reloaded', { hasText: /^reloaded \d/ }).waitFor();

    // a broken file
    await show('findings');
    await writeFile(file, before.replace('description: One customer', 'descripton: One customer'));
    const finding = page.locator('.finding', { hasText: 'tools/get_customer.yml:5:3' });
    await finding.waitFor();
    expect(await finding.locator('.marked').textContent()).toContain('descripton');
    await writeFile(file, before);
    await finding.waitFor({ state: 'detached' });

    // a call of another client, and its replay
    await show('calls');
    const rows = page.locator('#calls tr', { hasText: 'best_customer' });
    expect(await rows.count()).toBe(0);
    // The page's clock stands still: whatever would wait for a timer, such as asking again, does not happen.
    const requests: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    const stoodAt = await stopClock(page);
    await callLegacy(url, 'best_customer', { year: 2025 });
    await rows.waitFor();
    expect(await page.evaluate<number>('Date.now()')).toBe(stoodAt);
    expect(requests.filter((path) => path.endsWith('/api/calls'))).toEqual([]);
    await page.clock.resume();
    await rows.getByRole('button').click();
    await page.locator('#call', { hasText: '"year": 2025' }).waitFor();
    await page.getByRole('button', { name: 'Replay in the form' }).click();
    await expect.poll(() => page.getByLabel('year').inputValue()).toBe('2025');
    expect(complaints).toEqual([]);
    await context.close();
  }, 240_000);

  // Requirements: workbench.save
  it('saves the call that was answered, whatever the form shows since', async () => {
    const { workbench } = await openShop();
    const context = await browser.newContext();
    const { page, show } = await openPage(context, workbench);
    page.setDefaultTimeout(60_000);
    await show('tool/get_customer');
    await page.getByLabel('id', { exact: false }).first().fill('1');
    await page.getByLabel('Run as').selectOption('manager');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('.result').getByText('Ada Lovelace').waitFor();
    await page.getByLabel('id', { exact: false }).first().fill('2');
    await page.getByLabel('Run as').selectOption('support');
    await page.getByLabel('Name of the test').fill('as answered');
    await page.getByRole('button', { name: 'Show the change' }).click();
    const diff = page.locator('.diff', { hasText: '+     - name: as answered' });
    await diff.waitFor();
    const added = (await diff.textContent())?.split('\n').filter((line) => line.startsWith('+'));
    expect(added?.join('\n')).toMatch(
      /key: id\n\+ +value: 1\n[\s\S]*role: manager\n[\s\S]*name: Ada Lovelace/,
    );
    await context.close();
  }, 120_000);

  // Requirements: workbench.questions
  it('answers the question of one of two users with the call that asked it', async () => {
    const { workbench } = await openShop();
    const context = await browser.newContext();
    const { page, show } = await openPage(context, workbench);
    page.setDefaultTimeout(60_000);
    await show('tool/set_stock');
    await page.getByLabel('Run as').selectOption('manager');
    await page.getByLabel('Compare with').selectOption('warehouse');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const results = page.locator('.result');
    const states = () => results.locator('h3 > span:first-of-type').allTextContents();
    await expect.poll(states).toEqual(['asks', 'asks']);
    // The form now shows the arguments of another call.
    await page.getByLabel('stock', { exact: false }).first().fill('5000');
    const agree = async (index: number) => {
      await results.nth(index).locator('select').selectOption('true');
      await results.nth(index).getByRole('button', { name: 'Answer' }).click();
    };
    await agree(1);
    await expect.poll(states).toEqual(['asks', 'ok']);
    await agree(0);
    await expect.poll(states).toEqual(['ok', 'ok']);
    expect(await results.locator('tr', { hasText: 'stock' }).allTextContents()).toEqual([
      'stock12',
      'stock12',
    ]);
    await context.close();
  }, 120_000);

  // Requirements: workbench.readable
  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 400],
    ['dark', 400],
    ['light', 1600],
  ] as const)(
    'has no fault of contrast, labels or width in any view: %s, %d px',
    async (colorScheme, width) => {
      const { workbench } = await openShop();
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
      const { page, complaints, show } = await openPage(context, workbench);
      page.setDefaultTimeout(60_000);
      for (const view of [
        '',
        'tool/quote_basket',
        'tool/get_customer',
        'tool/search_products',
        'calls',
        'access',
        'findings',
        'server',
      ]) {
        await show(view);
        if (view.startsWith('tool/')) {
          await page.getByLabel('Compare with').selectOption('manager');
          await page.getByRole('button', { name: 'Run', exact: true }).click();
          await page.locator('.comparison').waitFor();
        }
        if (view === 'tool/search_products') {
          await page.getByRole('tab', { name: 'Chart' }).first().click();
          await page.locator('.drawing svg').waitFor();
        }
        if (view === 'calls') await page.locator('#calls button').first().click();
        if (view === 'server') await page.locator('#databases').waitFor();
        const name = view === '' ? 'overview' : view.replace('tool/', '');
        await page.screenshot({ path: `${SHOTS}/workbench-${name}-${colorScheme}-${width}.png` });
        expect([view, await violationsOf(page)]).toEqual([view, []]);
        const overflow = 'document.documentElement.scrollWidth - innerWidth';
        expect([view, await page.evaluate<number>(overflow)]).toEqual([view, 0]);
      }
      expect(complaints).toEqual([]);
      await context.close();
    },
    240_000,
  );
});
