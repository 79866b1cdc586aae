import { columnsOf, drawChart, drawMap } from './chart.ts';
import type { Row, ViewConfig } from './config.ts';
import { element } from './element.ts';
import { createFormats, type Formats, toNumber } from './format.ts';
import { connect, type Host, type HostContext, type ToolResult } from './host.ts';

/*
 * The page of every view. It gets results from the host and asks for further rows by calling the same tool, so it has
 * nothing but what the caller may see.
 */

const config: ViewConfig = JSON.parse(document.getElementById('config')?.textContent ?? '{}');
/** The rows that a table shows at a time. */
const ROWS_SHOWN = 50;

interface State {
  args: Record<string, unknown>;
  rows: readonly Row[];
  columns: readonly string[];
  /** The first row that is shown, within `rows`. */
  first: number;
  sort: { readonly column: string; readonly down: boolean } | null;
  message: string | null;
  isBusy: boolean;
  context: HostContext;
}

const state: State = {
  args: {},
  rows: [],
  columns: [],
  first: 0,
  sort: null,
  message: 'Waiting for the result …',
  isBusy: false,
  context: {},
};
let formats: Formats = createFormats({});
let host: Host | null = null;

function titleOf(column: string): string {
  return config.columns[column]?.title ?? column.replaceAll('_', ' ');
}

/** Reads a result; older clients get a list as `{result: list}`. */
function toRows({ structuredContent: value }: ToolResult): readonly Row[] {
  const only = isRow(value) && Object.keys(value).length === 1 && 'result' in value ? value.result : value;
  const items: readonly unknown[] = Array.isArray(only)
    ? only
    : only === undefined || only === null
      ? []
      : [only];
  return items.map((item) => (isRow(item) ? item : { value: item }));
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function show(result: ToolResult): void {
  state.isBusy = false;
  if (result.isError) {
    state.message = result.content?.find(({ text }) => text !== undefined)?.text ?? 'The call failed.';
  } else {
    state.rows = toRows(result);
    state.columns = [...new Set(state.rows.slice(0, 1_000).flatMap((row) => Object.keys(row)))];
    state.first = 0;
    state.message = state.rows.length === 0 ? 'No rows.' : null;
  }
  render();
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
  const [left, right] = [toNumber(one), toNumber(other)];
  if (!Number.isNaN(left) && !Number.isNaN(right)) return left - right;
  return String(one).localeCompare(String(other), state.context.locale);
}

const offset = () => Math.max(0, toNumber(state.args.offset ?? 0) || 0);
const pageSize = () => toNumber(state.args.limit ?? config.pageSize) || ROWS_SHOWN;

/** Whether the tool itself returns pages. */
function pagesByCalls(): boolean {
  return config.pageSize !== null && host?.callsTools === true;
}

async function callAt(start: number): Promise<void> {
  if (host === null || state.isBusy) return;
  const args = { ...state.args, limit: pageSize(), offset: start };
  state.isBusy = true;
  render();
  try {
    const result = (await host.request('tools/call', { name: config.tool, arguments: args })) as ToolResult;
    if (!result.isError) state.args = args;
    show(result);
  } catch (error) {
    show({
      isError: true,
      content: [{ type: 'text', text: error instanceof Error ? error.message : String(error) }],
    });
  }
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
  made.addEventListener('click', onClick);
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
    element('span', { role: 'status' }, range),
    ...(turns ? [button('Previous', () => turn(-1), start > 1), button('Next', () => turn(1), hasMore)] : []),
    ...(state.rows.length > 0 ? [button('Export', () => void exportRows())] : []),
  );
}

function table(): HTMLElement {
  const numeric = new Set(
    state.columns.filter((name) => state.rows.some((row) => typeof row[name] === 'number')),
  );
  const heads = state.columns.map((name) => {
    const { sort } = state;
    const order = sort?.column === name ? (sort.down ? 'descending' : 'ascending') : 'none';
    const mark = order === 'none' ? '' : order === 'ascending' ? ' ▲' : ' ▼';
    const sortBy = () => {
      state.sort = { column: name, down: order === 'ascending' };
      render();
    };
    const kind = numeric.has(name) ? 'number' : undefined;
    return element(
      'th',
      { scope: 'col', 'aria-sort': order, class: kind },
      button(`${titleOf(name)}${mark}`, sortBy),
    );
  });
  const body = shownRows().map((row) =>
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
  const [row = {}] = state.rows;
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

/** Charts are drawn anew for another width, so that their texts keep their size. */
function sizeOf() {
  const width = Math.max(260, Math.min(1_200, document.body.clientWidth - 24));
  return { width, height: Math.round(Math.max(220, Math.min(400, width * 0.5))) };
}

function chart(): Node {
  const rows = shownRows();
  const label = `${config.title}: ${config.view} of ${formats.text(rows.length)} rows`;
  if (config.view === 'map') {
    const map = drawMap(rows, { columns: state.columns, label, size: sizeOf() }, formats);
    return map === null ? table() : element('figure', {}, map);
  }
  const columns = columnsOf(rows, state.columns, config.view === 'scatter');
  if (columns === null) return table();
  const legend = columns.drawn.map((name, index) =>
    element('span', { class: `key s${index}` }, titleOf(name)),
  );
  return element(
    'figure',
    {},
    drawChart({ rows, columns, view: config.view, label, titleOf, size: sizeOf() }, formats),
    element('figcaption', {}, ...legend),
  );
}

function content(): Node {
  if (state.message !== null) return element('p', { class: 'message', role: 'status' }, state.message);
  if (config.view === 'table') return table();
  return config.view === 'number' ? numbers() : chart();
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
  onCancelled: () => {
    state.message = 'The call was cancelled.';
    render();
  },
  onContext: applyContext,
});
reportSize(host);
render();
