import type { ViewConfig } from './config.ts';
import { element } from './element.ts';
import { type DrawnView, drawFigure } from './figure.ts';
import { createFormats, type Formats, fromSeconds, toNumber } from './format.ts';
import { connect, type Host, type HostContext, type ToolResult } from './host.ts';
import { columnNames, type Row, toRows } from './rows.ts';

/*
 * The page of every view. It gets results from the host and asks for further rows by calling the same tool, so it has
 * nothing but what the caller may see.
 */

const config: ViewConfig = JSON.parse(document.getElementById('config')?.textContent ?? '{}');
/** The rows that a table shows at a time. */
const ROWS_SHOWN = 50;

interface Order {
  readonly column: string;
  readonly down: boolean;
}

interface State {
  args: Record<string, unknown>;
  rows: readonly Row[];
  columns: readonly string[];
  /** The first row that is shown, within `rows`. */
  first: number;
  /** The order that the page gives to the rows at hand; null: the order of the tool. */
  sort: Order | null;
  /** Says that the tool returned a part of its rows. */
  cut: string | null;
  /** The text in place of rows. */
  message: string | null;
  /** A failure that leaves the rows in place. */
  problem: string | null;
  isBusy: boolean;
  context: HostContext;
}

const state: State = {
  args: {},
  rows: [],
  columns: [],
  first: 0,
  sort: null,
  cut: null,
  message: 'Waiting for the result …',
  problem: null,
  isBusy: false,
  context: {},
};
let formats: Formats = createFormats({});
let host: Host | null = null;

function titleOf(column: string): string {
  return config.columns[column]?.title ?? column.replaceAll('_', ' ');
}

function show(result: ToolResult): void {
  if (result.isError) {
    return fail(result.content?.find(({ text }) => text !== undefined)?.text ?? 'The call failed.');
  }
  state.rows = toRows(result.structuredContent);
  state.columns = columnNames(state.rows, orderOfColumns(result));
  state.cut = cutOf(result);
  state.first = 0;
  state.message = state.rows.length === 0 ? 'No rows.' : null;
  state.problem = null;
  render();
}

/** Says what failed: above the rows if there are any, else in their place. */
function fail(problem: string): void {
  if (state.rows.length > 0) state.problem = problem;
  else state.message = problem;
  render();
}

/** The order of the columns, which the server gives if objects cannot keep it. */
function orderOfColumns({ _meta: meta = {} }: ToolResult): readonly string[] {
  const names = meta['svc-kit/columns'];
  return Array.isArray(names) ? names.map(String) : [];
}

/** Why the result is a part of the tool's rows, in the server's words; null for a whole result. */
function cutOf({ _meta: meta = {} }: ToolResult): string | null {
  const cut = meta['svc-kit/truncated'];
  return typeof cut === 'object' && cut !== null && 'hint' in cut ? String(cut.hint) : null;
}

function sorted(): readonly Row[] {
  const { rows, sort } = state;
  if (sort === null) return rows;
  const { column, down } = sort;
  return rows.toSorted((one, other) => compare(one[column], other[column]) * (down ? -1 : 1));
}

/** Empty values come last, going up. */
function compare(one: unknown, other: unknown): number {
  const [empty, otherEmpty] = [one ?? null, other ?? null].map((value) => value === null);
  if (empty || otherEmpty) return Number(empty) - Number(otherEmpty);
  return formats.compare(one, other);
}

const offset = () => Math.max(0, toNumber(state.args.offset ?? 0) || 0);
const pageSize = () => toNumber(state.args.limit ?? config.pageSize) || ROWS_SHOWN;

/** Whether the tool itself returns pages. */
function pagesByCalls(): boolean {
  return config.pageSize !== null && host?.callsTools === true;
}

/** Whether the tool has rows that the page does not have. */
function hasMissingRows(): boolean {
  const isPage = config.pageSize !== null && (offset() > 0 || state.rows.length >= pageSize());
  return pagesByCalls() || isPage || state.cut !== null;
}

/** Whether the tool sorts all its rows by a column. Rows that are all at hand need no call. */
function sortsByCalls(column: string): boolean {
  return host?.callsTools === true && hasMissingRows() && config.sorts.includes(column);
}

/** The order of the rows on the page. */
function orderOf(): Order | null {
  if (state.sort !== null) return state.sort;
  const { sort, descending } = state.args;
  if (typeof sort !== 'string' || !config.sorts.includes(sort)) return null;
  return { column: sort, down: descending === true };
}

function sortBy(column: string, down: boolean): void {
  if (sortsByCalls(column)) return void callAt(0, { sort: column, descending: down });
  state.sort = { column, down };
  render();
}

async function callAt(start: number, order: Record<string, unknown> = {}): Promise<void> {
  if (host === null || state.isBusy) return;
  const place = pagesByCalls() ? { limit: pageSize(), offset: start } : {};
  const args = { ...state.args, ...order, ...place };
  state.isBusy = true;
  render();
  try {
    const result = (await host.request('tools/call', { name: config.tool, arguments: args })) as ToolResult;
    state.isBusy = false;
    if (!result.isError) {
      state.args = args;
      if (order.sort !== undefined) state.sort = null;
    }
    show(result);
  } catch (error) {
    state.isBusy = false;
    fail(messageOf(error));
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function turn(by: 1 | -1): void {
  if (pagesByCalls()) return void callAt(Math.max(0, offset() + by * pageSize()));
  state.first = Math.max(0, state.first + by * ROWS_SHOWN);
  render();
}

/** The rows that are on the page: for a table a part, for a chart all. */
function shownRows(): readonly Row[] {
  const rows = sorted();
  return config.view === 'table' && !pagesByCalls()
    ? rows.slice(state.first, state.first + ROWS_SHOWN)
    : rows;
}

/** The rows on the page as people read them: numbers of seconds become moments where `return` declares them. */
function readableRows(): readonly Row[] {
  const seconds = state.columns.filter((name) => config.columns[name]?.format === 'timestamp');
  if (seconds.length === 0) return shownRows();
  const toReadable = (row: Row): Row => ({
    ...row,
    ...Object.fromEntries(seconds.map((name) => [name, fromSeconds(row[name])])),
  });
  return shownRows().map(toReadable);
}

function toCsv(): string {
  const cell = (value: unknown) => {
    const text =
      value === null || value === undefined
        ? ''
        : typeof value === 'object'
          ? JSON.stringify(value)
          : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = shownRows().map((row) => state.columns.map((name) => cell(row[name])).join(','));
  return `${[state.columns.map(cell).join(','), ...lines].join('\r\n')}\r\n`;
}

async function exportRows(): Promise<void> {
  const [text, mimeType, name] = [toCsv(), 'text/csv', `${config.tool}.csv`];
  if (host?.downloads) {
    const resource = { uri: `file:///${name}`, mimeType, text };
    await host.request('ui/download-file', { contents: [{ type: 'resource', resource }] });
    return;
  }
  const link = element('a', {
    href: URL.createObjectURL(new Blob([text], { type: mimeType })),
    download: name,
  });
  link.click();
  URL.revokeObjectURL(link.href);
}

function button(text: string, onClick: () => void, isEnabled = true): HTMLButtonElement {
  const made = element('button', { type: 'button' }, text);
  made.disabled = !isEnabled || state.isBusy;
  made.addEventListener('click', () => {
    state.problem = null;
    onClick();
  });
  return made;
}

function toolbar(): HTMLElement {
  const byCalls = pagesByCalls();
  const shown = shownRows();
  const start = (byCalls ? offset() : config.view === 'table' ? state.first : 0) + 1;
  const total = byCalls || shown.length === state.rows.length ? '' : ` of ${formats.text(state.rows.length)}`;
  const range =
    shown.length === 0 ? '' : `${formats.text(start)}–${formats.text(start + shown.length - 1)}${total}`;
  const hasMore = byCalls ? state.rows.length >= pageSize() : state.first + ROWS_SHOWN < state.rows.length;
  const turns = byCalls || (config.view === 'table' && state.rows.length > ROWS_SHOWN);
  return element(
    'header',
    {},
    element('h1', {}, config.title),
    element('span', { role: 'status' }, [range, ...notesOf()].filter(Boolean).join(' · ')),
    ...(turns ? [button('Previous', () => turn(-1), start > 1), button('Next', () => turn(1), hasMore)] : []),
    ...(state.rows.length > 0 ? [button('Export', () => void exportRows())] : []),
  );
}

/** Warnings that keep a reader from taking a part for the whole. */
function notesOf(): readonly string[] {
  const { sort, cut, problem, rows } = state;
  const part = pagesByCalls() ? 'this page' : 'these rows';
  return [
    ...(config.view === 'number' && rows.length > 1 ? ['values of the first row'] : []),
    ...(sort !== null && hasMissingRows() ? [`sorted within ${part} only`] : []),
    ...(cut === null ? [] : [cut]),
    ...(problem === null ? [] : [problem]),
  ];
}

function table(): HTMLElement {
  const numeric = new Set(
    state.columns.filter((name) => state.rows.some((row) => typeof row[name] === 'number')),
  );
  const present = orderOf();
  const heads = state.columns.map((name) => {
    const order = present?.column === name ? (present.down ? 'descending' : 'ascending') : 'none';
    const mark = order === 'none' ? '' : order === 'ascending' ? ' ▲' : ' ▼';
    const kind = numeric.has(name) ? 'number' : undefined;
    return element(
      'th',
      { scope: 'col', 'aria-sort': order, class: kind },
      button(`${titleOf(name)}${mark}`, () => sortBy(name, order === 'ascending')),
    );
  });
  const body = readableRows().map((row) =>
    element(
      'tr',
      {},
      ...state.columns.map((name) =>
        element('td', { class: numeric.has(name) ? 'number' : undefined }, formats.text(row[name])),
      ),
    ),
  );
  return element(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': config.title },
    element('table', {}, element('thead', {}, element('tr', {}, ...heads)), element('tbody', {}, ...body)),
  );
}

function numbers(): HTMLElement {
  const [row = {}] = readableRows();
  const figures = state.columns.map((name) =>
    element(
      'div',
      {},
      element('b', {}, formats.text(row[name])),
      element('span', {}, state.columns.length === 1 ? '' : titleOf(name)),
    ),
  );
  return element('div', { class: 'figures' }, ...figures);
}

function chart(view: DrawnView): Node {
  const { title } = config;
  const { columns: names } = state;
  const room = document.body.clientWidth - 24;
  const texts = new Set(names.filter((name) => config.columns[name]?.type === 'string'));
  return drawFigure({ rows: readableRows(), names, texts, view, title, titleOf, room }, formats) ?? table();
}

function content(): Node {
  if (state.message !== null) return element('p', { class: 'message', role: 'status' }, state.message);
  if (config.view === 'table') return table();
  return config.view === 'number' ? numbers() : chart(config.view);
}

function render(): void {
  document.body.setAttribute('aria-busy', String(state.isBusy));
  // A click on a head makes it anew, so the focus is set again.
  const focused = document.activeElement?.textContent?.replace(/ [▲▼]$/, '');
  document.getElementById('root')?.replaceChildren(toolbar(), content());
  const again = [...document.querySelectorAll('button')].find(
    ({ textContent }) => textContent?.replace(/ [▲▼]$/, '') === focused,
  );
  again?.focus();
}

function applyContext(context: HostContext): void {
  state.context = { ...state.context, ...context };
  const { theme, locale, styles } = state.context;
  const root = document.documentElement;
  if (theme !== undefined) root.dataset.theme = theme;
  if (locale !== undefined) root.lang = locale;
  for (const [name, value] of Object.entries(styles?.variables ?? {})) {
    if (name.startsWith('--') && value) root.style.setProperty(name, value);
  }
  formats = createFormats(state.context);
  render();
}

function reportSize(to: Host): void {
  let last = '';
  let drawn = document.body.clientWidth;
  const report = () => {
    if (document.body.clientWidth !== drawn) {
      drawn = document.body.clientWidth;
      render();
    }
    const { width, height } = document.documentElement.getBoundingClientRect();
    const size = { width: Math.ceil(width), height: Math.ceil(height) };
    if (JSON.stringify(size) === last) return;
    last = JSON.stringify(size);
    to.notify('ui/notifications/size-changed', size);
  };
  new ResizeObserver(report).observe(document.documentElement);
  report();
}

render();
host = await connect({
  onInput: (args) => {
    state.args = args;
  },
  onResult: show,
  onCancelled: () => fail('The call was cancelled.'),
  onContext: applyContext,
});
reportSize(host);
render();
