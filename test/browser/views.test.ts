import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, chromium, type Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FOLDER, fileOf } from '../../scripts/docs/pictures/list.ts';
import { differenceOf } from '../../scripts/docs/pictures/png.ts';
import { findChromium, violationsOf } from '../unit/adapters/node/browser.ts';
import { createViewHost, type OpenOptions, takeHeap, type ViewHost } from './views-page.ts';
import { KINDS, type Kind, pictureOptions, SECRET } from './views-project.ts';

/* Views in the official AppBridge, in a real Chromium. `npm run test:browser` installs the bridge. */

const PACKAGES = process.env.SVC_TEST_BROWSER;
const executablePath = findChromium();
const SHOTS = 'build/tests/views';
/** The usual estimate of tokens: four characters each. */
const MOST_CHARACTERS = 400 * 4;

/** The share of pixels that may differ from the picture in docs/images, which `scripts/docs/pictures.ts` makes. */
const MOST_DIFFERENCE = 0.02;

/** The width that a drawing has not taken yet, after the window changed. */
const ROOM_LEFT = `(() => {
  const svg = document.querySelector('figure svg');
  return svg === null ? 0 : Math.min(1200, document.body.clientWidth - 24) - Number(svg.getAttribute('width'));
})()`;

/** Whether this machine's letters are those of the pictures, DejaVu Sans. */
const HAS_LETTERS = `(() => {
  const brush = document.createElement('canvas').getContext('2d');
  const widths = ['system-ui', '"DejaVu Sans", monospace'].map((font) => {
    brush.font = '14px ' + font;
    return brush.measureText('Export 1,000').width;
  });
  return widths[0] === widths[1];
})()`;

/** The drawn rows of a view: each mark of the first series is one. */
const MARKS: { readonly [kind in Kind]: string } = {
  table: 'tbody tr',
  line: 'svg .s0 path.line',
  area: 'svg .s0 path.line',
  bar: 'svg .s0 rect',
  scatter: 'svg .s0 circle',
  map: 'svg .s0 circle',
  number: '.figures',
};

describe.skipIf(PACKAGES === undefined || executablePath === null)('views in AppBridge', () => {
  let browser: Browser;
  let host: ViewHost;

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });
    host = await createViewHost(browser, PACKAGES ?? '');
    await mkdir(SHOTS, { recursive: true });
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await host?.close();
  });

  /** Opens a view, and fails for any error in the browser. */
  async function open(name: string, options?: OpenOptions) {
    const opened = await host.open(name, options);
    expect(await opened.frame.locator('p.message:not(:empty)').allTextContents()).toEqual([]);
    expect(opened.complaints).toEqual([]);
    return opened;
  }

  const cells = (frame: Frame, column: number) =>
    frame.locator(`tbody tr td:nth-child(${column})`).allTextContents();
  const statusOf = (frame: Frame) => frame.locator('header [role=status]').textContent();
  const firstId = (frame: Frame, text: RegExp) =>
    frame.locator('tbody tr:first-child td:first-child', { hasText: text }).waitFor();

  /** The rows that a view draws. A line has one letter of its path for each. */
  async function drawnRows(frame: Frame, view: Kind): Promise<number> {
    const marks = frame.locator(MARKS[view]);
    if (view !== 'line' && view !== 'area') return marks.count();
    return (await marks.first().getAttribute('d'))?.match(/[ML]/g)?.length ?? 0;
  }

  // Requirements: view.kinds, view.tokens, view.rules
  describe.each(KINDS)('$view', ({ view, most }) => {
    it.each([1, 1_000, 1_000_000])(
      'shows %d rows, and neither the model nor the page gets more than it should',
      async (rows) => {
        const opened = await open(view, { args: { rows } });
        const { page, frame, content } = opened;
        expect(await drawnRows(frame, view)).toBe(Math.min(rows, most));
        if (view === 'number') {
          expect(await frame.locator('.figures b').first().textContent()).toBe(rows.toLocaleString('en-US'));
        }
        expect(JSON.stringify(content).length).toBeLessThan(MOST_CHARACTERS);
        expect(content.length).toBeGreaterThan(0);
        expect(await page.evaluate('told')).toEqual([]);
        // The masked value is in the result, so the page had every chance to keep it. A snapshot takes seconds.
        if (rows === 1_000_000) {
          const heap = await takeHeap(opened);
          expect([heap.includes('****'), heap.includes(SECRET)]).toEqual([true, false]);
        }
        await page.close();
      },
      120_000,
    );

    // Requirements: view.readable, pictures.all
    it.each(['light', 'dark'] as const)(
      'has no fault of contrast, labels or width at 400 and 1280 px: %s',
      async (theme) => {
        const options = pictureOptions(view, theme);
        const { page, frame } = await open(view, { ...options, width: 400 });
        for (const width of [400, 1_280]) {
          await page.setViewportSize({ width, height: options.height });
          await expect.poll(() => frame.evaluate(ROOM_LEFT)).toBe(0);
          expect(await violationsOf(frame)).toEqual([]);
          const overflow = 'document.documentElement.scrollWidth - innerWidth';
          expect(await frame.evaluate(overflow)).toBeLessThanOrEqual(0);
          const picture = await page.screenshot({ path: `${SHOTS}/${view}-${theme}-${width}.png` });
          const name = fileOf(`view-${view}`, { colorScheme: theme, width, height: 0 });
          // On a machine with other letters everything has another place.
          if (!(await frame.evaluate(HAS_LETTERS))) continue;
          expect([name, differenceOf(picture, await readFile(join(FOLDER, name)))]).toEqual([
            name,
            expect.toSatisfy((share: number) => share < MOST_DIFFERENCE, 'to be like the picture in docs'),
          ]);
        }
        await page.close();
      },
      120_000,
    );
  });

  it('finds an unmasked column in the memory of the page, as a control', async () => {
    const opened = await open('bare');
    expect((await takeHeap(opened)).includes(SECRET)).toBe(true);
    await opened.page.close();
  });

  // Requirements: view.kinds
  it.each(['line', 'area', 'bar', 'scatter', 'map'])('draws %s within its frame', async (name) => {
    const { page, frame } = await open(name, { width: 400 });
    const inside = await frame.evaluate<boolean>(`(() => {
      const { left, right, top, bottom } = document.querySelector('svg').getBoundingClientRect();
      return [...document.querySelectorAll('svg .series > *')].every((one) => {
        const box = one.getBoundingClientRect();
        return box.left >= left && box.right <= right + 1 && box.top >= top - 1 && box.bottom <= bottom;
      });
    })()`);
    expect(inside).toBe(true);
    expect(await frame.locator('svg').getAttribute('aria-label')).toBe(`All ${name}: ${name} of 1,000 rows`);
    await page.close();
  });

  // Requirements: view.kinds, view.reader
  it.each([
    ['money', 'de-DE', 400],
    ['long', 'en-US', 400],
    ['long', 'en-US', 1_280],
    ['chinese', 'en-US', 800],
    ['scatter', 'en-US', 400],
    ['map', 'de-DE', 400],
  ])(
    'writes all labels of %s in %s within its frame, none over another, at %d px',
    async (name, locale, width) => {
      const { page, frame } = await open(name, { width, context: { locale } });
      const [svg, ...labels] = await frame.evaluate<{ left: number; right: number }[]>(`
      [...document.querySelectorAll('svg, svg text')].map((one) => one.getBoundingClientRect().toJSON())`);
      expect(labels.filter(({ left }) => left < (svg?.left ?? 0) - 0.5)).toEqual([]);
      expect(labels.filter(({ right }) => right > (svg?.right ?? 0) + 0.5)).toEqual([]);
      const below = await frame.evaluate<{ left: number; right: number }[]>(`
      [...document.querySelectorAll('svg text[text-anchor=middle]')].map((one) => one.getBoundingClientRect().toJSON())`);
      expect(below.length).toBeGreaterThan(1);
      expect(below.filter(({ left }, index) => left < (below[index - 1]?.right ?? 0))).toEqual([]);
      const beside = await frame.locator('svg text[text-anchor=end]').allTextContents();
      expect(new Set(beside).size).toBe(beside.length);
      await page.close();
    },
  );

  // Requirements: view.kinds
  it('draws a line along its axis, also if the rows have another order, and names years', async () => {
    const { page, frame } = await open('shuffled');
    const line = (await frame.locator('svg .line').getAttribute('d')) ?? '';
    const places = [...line.matchAll(/[ML]([\d.]+)/g)].map(([, x]) => Number(x));
    expect(places).toHaveLength(4);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    await page.close();
    const years = await open('years');
    const labels = years.frame.locator('svg text[text-anchor=middle]');
    expect(await labels.allTextContents()).toEqual(['2020', '2021', '2022', '2023', '2024']);
    await years.page.close();
  });

  // Requirements: view.reader
  it('writes long decimals in the language of the host, and a dash for a missing number', async () => {
    const context = { locale: 'de-DE' };
    const { page, frame } = await open('amounts', { context });
    expect(await cells(frame, 1)).toEqual(['12.345.678.901.234.567.890,12', '1,5']);
    await page.close();
    const number = await open('nothing', { context });
    expect(await number.frame.locator('.figures b').allTextContents()).toEqual([
      '–',
      '12.345.678.901.234.567,5',
    ]);
    await number.page.close();
  });

  // Requirements: view.cut
  it('says that bars, a cut result or a number are a part of the rows', async () => {
    const bars = await open('bar');
    expect(await bars.frame.locator('figcaption').textContent()).toContain('The first 60 of 1,000 rows.');
    await bars.page.close();
    const whole = await open('whole');
    expect(await statusOf(whole.frame)).toBe(
      '1–50 of 1,000 · Only the first 1000 rows are shown. Narrow the arguments, or ask for less at a time.',
    );
    expect(JSON.stringify(whole.content).length).toBeLessThan(MOST_CHARACTERS);
    await whole.page.close();
  });

  // Requirements: view.kinds, view.reader
  it('draws the columns of a pivot in the order of its statement, and exports them so', async () => {
    const { page, frame } = await open('pivot');
    expect(await frame.locator('svg text[text-anchor=middle]').allTextContents()).toEqual(['north', 'south']);
    expect(await frame.locator('.key').allTextContents()).toEqual(['2024', '2023']);
    await frame.getByRole('button', { name: 'Export' }).click();
    await page.waitForFunction('globalThis.downloads.length === 1');
    const [file] = await page.evaluate<{ resource: { text: string } }[]>('globalThis.downloads');
    expect(file?.resource.text).toBe('region,2024,2023\r\nnorth,10,12\r\nsouth,20,18\r\n');
    await page.close();
  });

  // Requirements: view.kinds
  it('draws no line over rows without a value, and gives days their distances', async () => {
    const { page, frame } = await open('gaps');
    const line = (await frame.locator('svg .line').getAttribute('d')) ?? '';
    expect(line.match(/[ML]/g)).toEqual(['M', 'L', 'M']);
    const [first = 0, second = 0, last = 0] = [...line.matchAll(/[ML]([\d.]+)/g)].map(([, x]) => Number(x));
    expect((last - first) / (second - first)).toBeCloseTo(30, 0);
    await page.close();
  });

  // Requirements: view.kinds, view.cut
  it.each([
    ['holes', '1 of 3 rows have no place.'],
    ['nowhere', '1 of 3 rows have no place.'],
    ['wide', 'The first 6 of 8 columns.'],
  ])('draws what it can of %s, within its frame, and says what it lacks', async (name, note) => {
    const { page, frame } = await open(name);
    expect(await frame.locator('figcaption').textContent()).toContain(note);
    const [svg, ...marks] = await frame.evaluate<{ left: number; right: number }[]>(`
      [...document.querySelectorAll('svg, .series > *')].map((one) => one.getBoundingClientRect().toJSON())`);
    expect(marks).toHaveLength(name === 'wide' ? 6 : 2);
    for (const { left, right } of marks) {
      expect([left >= (svg?.left ?? 0), right <= (svg?.right ?? 0) + 1]).toEqual([true, true]);
    }
    await page.close();
  });

  // Requirements: view.reader
  it('shows a declared number of seconds as a moment in the time zone of the host', async () => {
    const { page, frame } = await open('seconds', {
      context: { locale: 'de-DE', timeZone: 'Europe/Berlin' },
    });
    const labels = await frame.locator('svg text[text-anchor=middle]').allTextContents();
    expect(labels).toEqual(['14.11.23, 23:13', '15.11.23, 00:13']);
    await page.close();
  });

  // Requirements: view.kinds
  it('gives each line of the grid its own number', async () => {
    const { page, frame } = await open('narrow');
    const numbers = await frame.locator('svg text[text-anchor=end]').allTextContents();
    expect([numbers.length > 2, new Set(numbers).size]).toEqual([true, numbers.length]);
    await page.close();
  });

  // Requirements: view.reader, view.sort
  it('shows texts that are no dates, and sorts exactly, also in a language that the browser does not know', async () => {
    const { page, frame } = await open('dates', { context: { locale: 'en_US', timeZone: 'Nowhere/None' } });
    expect(await cells(frame, 1)).toEqual(['0000-00-00', '2024-02-30', expect.stringContaining('29')]);
    expect((await cells(frame, 2))[0]).not.toBe('0');
    await frame.getByRole('button', { name: 'id' }).click();
    await frame.locator('th:nth-child(3)[aria-sort=ascending]').waitFor();
    expect((await cells(frame, 3)).map((id) => id.at(-1))).toEqual(['2', '3', '4']);
    await frame.getByRole('button', { name: 'day' }).click();
    await frame.locator('th:nth-child(1)[aria-sort=ascending]').waitFor();
    expect((await cells(frame, 1))[0]).toBe('0000-00-00');
    await page.close();
  });

  // Requirements: view.paging, view.stateless
  it.each([
    ['auto', false],
    ['legacy', false],
    ['legacy', true],
  ])('pages through a million rows by calling the tool: %s, stateless %s', async (mode, stateless) => {
    const { page, frame, content } = await open('table', { mode, stateless, args: { limit: 50 } });
    expect(JSON.stringify(content).length).toBeLessThan(MOST_CHARACTERS);
    expect((await cells(frame, 1)).slice(0, 2)).toEqual(['0', '1']);
    await frame.getByRole('button', { name: 'Next' }).click();
    await firstId(frame, /^50$/);
    expect(await statusOf(frame)).toBe('51–100');
    expect(host.served.records.at(-1)).toMatchObject({ name: 'table', args: { limit: 50, offset: 50 } });
    await frame.getByRole('button', { name: 'Previous' }).click();
    await firstId(frame, /^0$/);
    await page.close();
    const last = await open('table', { mode, stateless, args: { limit: 50, offset: 999_950 } });
    expect((await cells(last.frame, 1)).at(-1)).toBe('999,999');
    await last.page.close();
  });

  // Requirements: view.paging
  it('shows 50 rows at a time of a large page, forwards and back', async () => {
    const { page, frame } = await open('table', { args: { limit: 70, offset: 70 } });
    const next = frame.getByRole('button', { name: 'Next' });
    expect([await statusOf(frame), (await cells(frame, 1)).length]).toEqual(['71–120', 50]);
    await next.click();
    expect([await statusOf(frame), (await cells(frame, 1)).length]).toEqual(['121–140', 20]);
    await next.click();
    await firstId(frame, /^140$/);
    await frame.getByRole('button', { name: 'Previous' }).click();
    await firstId(frame, /^120$/);
    expect(host.served.records.at(-1)).toMatchObject({ args: { limit: 70, offset: 70 } });
    await page.close();
  });

  // Requirements: view.sort
  it('sorts all rows by calling a tool that sorts, and else says that it sorts one page', async () => {
    const { page, frame } = await open('sorted', { args: { limit: 50, offset: 100 } });
    const head = frame.getByRole('button', { name: 'id' });
    await head.click();
    await firstId(frame, /^0$/);
    await head.press('Enter');
    await firstId(frame, /^999,999$/);
    expect(host.served.records.at(-1)?.args).toMatchObject({ sort: 'id', descending: true, offset: 0 });
    expect(await frame.locator('th').first().getAttribute('aria-sort')).toBe('descending');
    expect(await statusOf(frame)).toBe('1–50');
    await frame.getByRole('button', { name: 'Next' }).click();
    await firstId(frame, /^999,949$/);
    const total = frame.getByRole('button', { name: 'total' });
    await total.click();
    await frame.locator('th:nth-child(4)[aria-sort=ascending]').waitFor();
    expect(new Set(await cells(frame, 4))).toEqual(new Set(['500']));
    // the tool does not sort by this column
    await frame.getByRole('button', { name: 'shop' }).click();
    await frame.locator('th:nth-child(3)[aria-sort=ascending]').waitFor();
    expect(await statusOf(frame)).toBe('1–50 · sorted within this page only');
    expect((await cells(frame, 3)).at(0)).toBe('shop 0');
    await page.close();
  });

  // Requirements: view.paging
  it('keeps the rows, and says why, if a page or an order cannot be had', async () => {
    const { page, frame } = await open('bounded', { args: { limit: 50, offset: 50 } });
    await frame.getByRole('button', { name: 'Next' }).click();
    await expect.poll(() => statusOf(frame)).toContain('51–100 · ');
    expect(await statusOf(frame)).toContain('offset');
    expect((await cells(frame, 1))[0]).toBe('50');
    await page.evaluate("bridge.oncalltool = async () => { throw new Error('The user said no.'); }");
    await frame.getByRole('button', { name: 'id' }).click();
    await expect.poll(() => statusOf(frame)).toContain('The user said no.');
    expect((await cells(frame, 1))[0]).toBe('50');
    await page.evaluate("bridge.sendToolCancelled({ reason: 'too late' })");
    await expect.poll(() => statusOf(frame)).toBe('51–100 · The call was cancelled.');
    expect(await cells(frame, 1)).toHaveLength(50);
    await page.evaluate('bridge.oncalltool = (params) => client.callTool(params)');
    await frame.getByRole('button', { name: 'Previous' }).click();
    await firstId(frame, /^0$/);
    expect(await statusOf(frame)).toBe('1–50');
    await page.close();
  });

  // Requirements: view.cut
  it('says that it shows one page if the host calls no tools', async () => {
    const options = { args: { limit: 50, offset: 100 }, capabilities: {} };
    const { page, frame } = await open('table', options);
    expect(await statusOf(frame)).toBe('101–150 · one page of the rows');
    expect(await frame.getByRole('button', { name: 'Next' }).count()).toBe(0);
    await page.close();
    const large = await open('table', { args: { limit: 200, offset: 100 }, capabilities: {} });
    await large.frame.getByRole('button', { name: 'Next' }).click();
    expect(await statusOf(large.frame)).toBe('151–200 · one page of the rows');
    await large.page.close();
    const last = await open('table', { args: { rows: 70, limit: 200 }, capabilities: {} });
    expect(await statusOf(last.frame)).toBe('1–50 of 70');
    await last.page.close();
  });

  // Requirements: view.paging
  it('keeps the focus, the place of the page and its status element when it draws again', async () => {
    const { page, frame } = await open('sorted', { args: { limit: 50 } });
    const active = () => frame.evaluate<string>('document.activeElement.dataset.key');
    await frame.evaluate("globalThis.before = document.querySelector('[role=status]')");
    const next = frame.getByRole('button', { name: 'Next' });
    await next.focus();
    await next.press('Enter');
    await firstId(frame, /^50$/);
    expect(await active()).toBe('next');
    const total = frame.getByRole('button', { name: 'total' });
    await total.focus();
    await total.press('Enter');
    await frame.locator('th:nth-child(4)[aria-sort=ascending]').waitFor();
    expect(await active()).toBe('column total');
    await frame.evaluate("document.querySelector('.scroll').scrollTo(0, 300)");
    await frame.locator('.scroll').focus();
    await page.evaluate(
      "bridge.setHostContext({ locale: 'de-DE', containerDimensions: { maxHeight: 500 } })",
    );
    await frame.locator('tbody', { hasText: /\d\d\.\d\d\.20\d\d/ }).waitFor();
    expect(await frame.evaluate("document.querySelector('.scroll').scrollTop")).toBe(300);
    expect(await active()).toBe('rows');
    expect(await frame.evaluate("before === document.querySelector('[role=status]')")).toBe(true);
    await frame.evaluate("globalThis.row = document.querySelector('tbody tr')");
    await page.evaluate("bridge.setHostContext({ locale: 'de-DE', theme: 'dark' })");
    await frame.locator('html[data-theme=dark]').waitFor();
    expect(await frame.evaluate("row === document.querySelector('tbody tr')")).toBe(true);
    await page.close();
  });

  it('says what the host refuses or does not answer', async () => {
    const refused = await host.open('table', { refusal: 'Unknown protocol' });
    expect(await refused.frame.locator('p.message:not(:empty)').textContent()).toContain('Unknown protocol');
    await refused.page.close();
    const { page, frame } = await open('table', { args: { limit: 50 } });
    await page.evaluate("bridge.ondownloadfile = async () => { throw new Error('The user said no.'); }");
    const save = frame.getByRole('button', { name: 'Export' });
    await save.click();
    await expect.poll(() => statusOf(frame)).toContain('The user said no.');
    await page.evaluate('bridge.ondownloadfile = async () => ({ isError: true })');
    await save.click();
    await expect.poll(() => statusOf(frame)).toBe('1–50 · The client saved no file.');
    await page.clock.install();
    await page.evaluate('bridge.oncalltool = () => new Promise(() => {})');
    await frame.getByRole('button', { name: 'Next' }).click();
    await frame.locator('body[aria-busy=true]').waitFor();
    await page.clock.fastForward('05:01');
    await expect.poll(() => statusOf(frame)).toBe('1–50 · The client has not answered for 5 minutes.');
    expect(await frame.getByRole('button', { name: 'Next' }).isEnabled()).toBe(true);
    await page.close();
  });

  // Requirements: view.kinds
  it('shows 50 rows at a time of a result that does not fit its chart', async () => {
    const { page, frame } = await open('texts');
    expect(await cells(frame, 1)).toHaveLength(50);
    expect(await statusOf(frame)).toBe('1–50 of 5,000');
    await frame.getByRole('button', { name: 'Next' }).click();
    await frame.locator('tbody tr:first-child td', { hasText: 'n50' }).waitFor();
    await page.close();
  });

  // Requirements: view.kinds
  it('shows the values of a chart as a table, and the chart again', async () => {
    const { page, frame } = await open('line', { args: { rows: 200 } });
    await frame.getByRole('button', { name: 'Table' }).press('Enter');
    expect(await cells(frame, 2)).toHaveLength(50);
    expect(await statusOf(frame)).toBe('1–50 of 200');
    expect(await frame.evaluate('document.activeElement.textContent')).toBe('Chart');
    await frame.getByRole('button', { name: 'Chart' }).press('Enter');
    await frame.locator('figure svg').waitFor();
    await page.close();
    for (const name of ['table', 'number', 'texts']) {
      const other = await open(name);
      expect(await other.frame.getByRole('button', { name: 'Table' }).count()).toBe(0);
      await other.page.close();
    }
  });

  // Requirements: view.paging, view.reader
  it('sorts by a click or a key, and exports what is shown', async () => {
    const { page, frame } = await open('thousand');
    const head = frame.getByRole('button', { name: 'id' });
    await head.click();
    await head.press('Enter');
    expect((await cells(frame, 1))[0]).toBe('999');
    expect(await statusOf(frame)).toBe('1–50 of 1,000');
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

  // Requirements: view.reader
  it('shows numbers and dates in the language of the host, light or dark', async () => {
    const german = { locale: 'de-DE', timeZone: 'Europe/Berlin', theme: 'dark' };
    const { page, frame } = await open('number', { context: german });
    expect(await frame.locator('.figures b').first().textContent()).toBe('1.000.000');
    expect(await frame.locator('.figures span').first().textContent()).toBe('pieces');
    const background = () => frame.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    expect(await background()).toBe('rgb(23, 26, 32)');
    await page.evaluate("bridge.setHostContext({ locale: 'en-US', theme: 'light' })");
    await frame.locator('.figures b', { hasText: '1,000,000' }).waitFor();
    expect(await background()).toBe('rgb(255, 255, 255)');
    await page.close();
    const table = await open('table', { context: german, args: { rows: 1 } });
    expect((await cells(table.frame, 2))[0]).toBe('01.01.2020');
    await table.page.close();
  });

  it('tells the host its size', async () => {
    const { page } = await open('table', { args: { rows: 1 } });
    await page.waitForFunction('globalThis.sizes.some(({ height }) => height > 50)');
    await page.close();
  });
});
