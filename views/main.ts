import type { ViewConfig } from './config.ts';
import { element } from './element.ts';
import { type DrawnView, drawFigure } from './figure.ts';
import { createFormats, type Formats, fromSeconds, toNumber } from './format.ts';
import { connect, type Host, type HostContext, reportSize, type ToolResult } from './host.ts';
import { columnNames, type Row, toCsv, toRows } from './rows.ts';
import { drawTable } from './table.ts';

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
  /** Whether the reader wants the values of a drawing as a table. */
  prefersTable: boolean;
  /** Whether the rows are in a table now. A result that does not fit its drawing is in one, too. */
  isTable: boolean;
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
  prefersTable: false,
  isTable: false,
  context: {},
};
let formats: Formats = createFormats({});
let host: Host | null = null;

function titleOf(column: string): string {
  return config.columns[column]?.title ?? column.replaceAll('_', ' ');
}

/** Shows a result from its first row on; a page that is turned back to, at its end. */
function show(result: ToolResult, isBack = false): void {
  if (result.isError) {
    fail(result.content?.find(({ text }) => text !== undefined)?.text ?? 'The call failed.');
    return;
  }
  state.rows = toRows(result.structuredContent);
  state.columns = columnNames(state.rows, orderOfColumns(result));
  state.cut = cutOf(result);
  const last = Math.floor(Math.max(0, state.rows.length - 1) / ROWS_SHOWN) * ROWS_SHOWN;
  state.first = isBack && state.isTable ? last : 0;
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

/** Whether the page gets further rows by calls of the tool. */
function pagesByCalls(): boolean {
  return config.pageSize !== null && host?.callsTools === true;
}

/** Whether the result is one page of several. */
function isPage(): boolean {
  return config.pageSize !== null && (offset() > 0 || state.rows.length >= pageSize());
}

/** Whether the tool has rows that the page does not have. */
function hasMissingRows(): boolean {
  return pagesByCalls() || isPage() || state.cut !== null;
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
  scrollUp();
  if (sortsByCalls(column)) return void callAt(0, { order: { sort: column, descending: down } });
  state.sort = { column, down };
  render();
}

interface CallOptions {
  readonly order?: Record<string, unknown>;
  readonly isBack?: boolean;
}

async function callAt(start: number, { order = {}, isBack = false }: CallOptions): Promise<void> {
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
    show(result, isBack);
  } catch (error) {
    state.isBusy = false;
    fail(messageOf(error));
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function turn(by: 1 | -1): void {
  scrollUp();
  if (hasAtHand(by)) {
    state.first += by * ROWS_SHOWN;
    render();
    return;
  }
  void callAt(Math.max(0, offset() + by * pageSize()), { isBack: by < 0 });
}

/** Whether the rows of the next page, or of the one before, are at hand. */
function hasAtHand(by: 1 | -1): boolean {
  const first = state.first + by * ROWS_SHOWN;
  return state.isTable && first >= 0 && first < state.rows.length;
}

/** The rows that are on the page: for a table a part, for a drawing all. */
function shownRows(): readonly Row[] {
  const rows = sorted();
  return state.isTable ? rows.slice(state.first, state.first + ROWS_SHOWN) : rows;
}

/** Rows as people read them: numbers of seconds become moments where `return` declares them. */
function toReadable(rows: readonly Row[]): readonly Row[] {
  const seconds = state.columns.filter((name) => config.columns[name]?.format === 'timestamp');
  if (seconds.length === 0) return rows;
  return rows.map((row) => ({
    ...row,
    ...Object.fromEntries(seconds.map((name) => [name, fromSeconds(row[name])])),
  }));
}

async function exportRows(): Promise<void> {
  const [text, mimeType, name] = [toCsv(shownRows(), state.columns), 'text/csv', `${config.tool}.csv`];
  if (host?.downloads) {
    const resource = { uri: `file:///${name}`, mimeType, text };
    const contents = [{ type: 'resource', resource }];
    try {
      const { isError } = (await host.request('ui/download-file', { contents })) as ToolResult;
      if (isError) fail('The client saved no file.');
    } catch (error) {
      fail(messageOf(error));
    }
    return;
  }
  const link = element('a', {
    href: URL.createObjectURL(new Blob([text], { type: mimeType })),
    download: name,
  });
  link.click();
  URL.revokeObjectURL(link.href);
}

interface ButtonOptions {
  /** The name by which the button gets the focus again after it was made anew. */
  readonly key: string;
  readonly isEnabled?: boolean;
}

/** Makes a button. While it is off, it keeps the focus and does nothing. */
function button(text: string, onClick: () => void, { key, isEnabled = true }: ButtonOptions) {
  const isOff = !isEnabled || state.isBusy;
  const made = element(
    'button',
    { type: 'button', 'data-key': key, 'aria-disabled': isOff ? 'true' : undefined },
    text,
  );
  made.addEventListener('click', () => {
    if (isOff) return;
    state.problem = null;
    onClick();
  });
  return made;
}

/** The buttons of the page. */
function toButtons(): readonly HTMLElement[] {
  const byCalls = pagesByCalls();
  const { rows, isTable, prefersTable } = state;
  const hasPrevious = hasAtHand(-1) || (byCalls && offset() > 0);
  const hasNext = hasAtHand(1) || (byCalls && rows.length >= pageSize());
  const turns = byCalls || (isTable && rows.length > ROWS_SHOWN);
  const isDrawn = config.view !== 'table' && config.view !== 'number' && (prefersTable || !isTable);
  const form = prefersTable ? (config.view === 'map' ? 'Map' : 'Chart') : 'Table';
  return [
    ...(turns
      ? [
          button('Previous', () => turn(-1), { key: 'previous', isEnabled: hasPrevious }),
          button('Next', () => turn(1), { key: 'next', isEnabled: hasNext }),
        ]
      : []),
    ...(rows.length > 0 && isDrawn ? [button(form, changeForm, { key: 'form' })] : []),
    ...(rows.length > 0 ? [button('Export', () => void exportRows(), { key: 'export' })] : []),
  ];
}

function changeForm(): void {
  state.prefersTable = !state.prefersTable;
  render();
}

/** Says which rows are on the page, and what they lack. */
function toStatus(): string {
  const shown = shownRows();
  const start = (config.pageSize === null ? 0 : offset()) + (state.isTable ? state.first : 0) + 1;
  const isPart = !isPage() && shown.length < state.rows.length;
  const total = isPart ? ` of ${formats.text(state.rows.length)}` : '';
  const range =
    shown.length === 0 ? '' : `${formats.text(start)}–${formats.text(start + shown.length - 1)}${total}`;
  return [range, ...notesOf()].filter(Boolean).join(' · ');
}

/** Warnings that keep a reader from taking a part for the whole. */
function notesOf(): readonly string[] {
  const { sort, cut, problem, rows } = state;
  const part = pagesByCalls() ? 'this page' : 'these rows';
  return [
    ...(config.view === 'number' && rows.length > 1 ? ['values of the first row'] : []),
    ...(sort !== null && hasMissingRows() ? [`sorted within ${part} only`] : []),
    ...(isPage() && !pagesByCalls() && cut === null ? ['one page of the rows'] : []),
    ...(cut === null ? [] : [cut]),
    ...(problem === null ? [] : [problem]),
  ];
}

function table(): HTMLElement {
  const present = orderOf();
  const columns = state.columns.map((name) => {
    const order = present?.column === name ? (present.down ? 'descending' : 'ascending') : 'none';
    const mark = { none: '', ascending: ' ▲', descending: ' ▼' }[order];
    const sort = () => sortBy(name, order === 'ascending');
    const head = button(`${titleOf(name)}${mark}`, sort, { key: `column ${name}` });
    const isNumeric = holdsNumbers(name);
    return { name, order, head, isNumeric, toText: isNumeric ? formats.number : formats.text } as const;
  });
  return drawTable({ rows: toReadable(shownRows()), columns, title: config.title });
}

/** Whether a column has numbers. Digits in texts alone may be those of ids or versions, unless `return` declares a number. */
function holdsNumbers(name: string): boolean {
  const type = config.columns[name]?.type;
  return type === 'number' || type === 'integer' || state.rows.some((row) => typeof row[name] === 'number');
}

function numbers([row = {}]: readonly Row[]): HTMLElement {
  const figures = state.columns.map((name) =>
    element(
      'div',
      {},
      element('b', {}, figureOf(name, row[name])),
      element('span', {}, state.columns.length === 1 ? '' : titleOf(name)),
    ),
  );
  return element('div', { class: 'figures' }, ...figures);
}

function figureOf(name: string, value: unknown): string {
  if (value === null || value === undefined) return '–';
  return config.columns[name]?.type === 'string' ? formats.text(value) : formats.number(value);
}

function figure(view: DrawnView, rows: readonly Row[]): HTMLElement | null {
  const { title } = config;
  const { columns: names } = state;
  const room = document.body.clientWidth - 24;
  const texts = new Set(names.filter((name) => config.columns[name]?.type === 'string'));
  return drawFigure({ rows, names, texts, view, title, titleOf, room }, formats);
}

/** The rows in the form of the view; null for a table. */
function drawing(): HTMLElement | null {
  const { view } = config;
  if (state.message !== null || view === 'table' || state.prefersTable) return null;
  const rows = toReadable(sorted());
  return view === 'number' ? numbers(rows) : figure(view, rows);
}

/** The parts of the page. The texts are the same elements each time, so that screen readers tell of changes. */
const parts = {
  status: element('span', { role: 'status' }),
  buttons: element('div', { class: 'buttons' }),
  content: element('div'),
  message: element('p', { class: 'message', role: 'status' }),
};
document
  .getElementById('root')
  ?.append(
    element('header', {}, element('h1', {}, config.title), parts.status, parts.buttons),
    parts.content,
    parts.message,
  );

function render(): void {
  document.body.setAttribute('aria-busy', String(state.isBusy));
  const { activeElement } = document;
  const focused = activeElement instanceof HTMLElement ? activeElement.dataset.key : undefined;
  const { scrollTop = 0, scrollLeft = 0 } = scrolled() ?? {};
  const drawn = drawing();
  state.isTable = state.message === null && drawn === null;
  setText(parts.status, toStatus());
  setText(parts.message, state.message ?? '');
  parts.buttons.replaceChildren(...toButtons());
  parts.content.replaceChildren(...(state.isTable ? [table()] : drawn === null ? [] : [drawn]));
  scrolled()?.scrollTo(scrollLeft, scrollTop);
  const again = [...document.querySelectorAll<HTMLElement>('[data-key]')];
  if (focused !== undefined) again.find(({ dataset }) => dataset.key === focused)?.focus();
}

/** Changes a text if it is another one, because screen readers may tell of the same one again. */
function setText(place: HTMLElement, text: string): void {
  if (place.textContent !== text) place.textContent = text;
}

function scrolled(): Element | null {
  return parts.content.querySelector('.scroll');
}

/** Other rows are shown from their beginning. */
function scrollUp(): void {
  scrolled()?.scrollTo({ top: 0 });
}

function applyContext(context: HostContext): void {
  const before = state.context;
  state.context = { ...before, ...context };
  const { theme, locale, timeZone, styles } = state.context;
  const root = document.documentElement;
  if (theme !== undefined) root.dataset.theme = theme;
  if (locale !== undefined) root.lang = locale;
  for (const [name, value] of Object.entries(styles?.variables ?? {})) {
    if (name.startsWith('--') && value) root.style.setProperty(name, value);
  }
  if (locale === before.locale && timeZone === before.timeZone) return;
  formats = createFormats(state.context);
  render();
}

render();
try {
  host = await connect({
    onInput: (args) => {
      state.args = args;
    },
    onResult: show,
    onCancelled: () => fail('The call was cancelled.'),
    onContext: applyContext,
  });
} catch (error) {
  fail(`The view has no connection to the client: ${messageOf(error)}`);
}
if (host !== null) reportSize(host, render);
render();
