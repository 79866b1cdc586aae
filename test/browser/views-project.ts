/* A project whose views have up to a million rows behind them. Each result has a masked column. */

/** The secrets of the column that policies mask. */
export const SECRET = 'secret-card';

export const SEED = `CREATE TABLE sales AS SELECT i AS id, DATE '2020-01-01' + (i % 2000)::INT AS day,
  'shop ' || (i % 5) AS shop, round(1000 + 500 * sin(i / 50), 2)::DOUBLE AS total, '${SECRET}-' || i AS card,
  48.0 + (i % 70) / 10.0 AS lat, 2.0 + (i % 90) / 10.0 AS lon FROM range(1000000) t(i)`;

const MASK = 'policies: { output: [{ condition: "true", action: mask_fields, fields: [card] }] }';

interface ToolOptions {
  readonly name: string;
  readonly view: string;
  readonly sql: string;
  /** Further lines of the tool. */
  readonly more?: string;
  readonly mask?: boolean;
}

const toTool = ({ name, view, sql, more = '', mask = true }: ToolOptions) => `tool:
  name: ${name}
  title: All ${name}
  view: ${view}
  ${more}
  ${mask ? MASK : ''}
  source: { code: "${sql}" }
`;

/** Parameters of a tool that returns pages of the first `rows` sales. */
const pages = (limit: number, more = '') => `parameters:
    - { name: rows, type: integer, default: 1000000 }
    - { name: limit, type: integer, default: ${limit}, maximum: 1000 }
    - { name: offset, type: integer, default: 0 }${more}`;
const ORDER = `
    - { name: sort, type: string, enum: [id, total], default: id }
    - { name: descending, type: boolean, default: false }`;

/** The columns of each view of rows. */
const COLUMNS = {
  table: '*',
  line: 'day, total, card',
  area: 'day, total, card',
  bar: 'shop, total, id, card',
  scatter: 'id, total, card',
  map: 'shop, lat::DOUBLE AS lat, lon::DOUBLE AS lon, card',
} as const;

const PAGED = (columns: string) =>
  `SELECT ${columns} FROM sales WHERE id < $rows ORDER BY id LIMIT $limit OFFSET $offset`;
const NUMBERS =
  'SELECT count(*) AS pieces, sum(total)::DOUBLE AS revenue, min(card) AS card FROM sales WHERE id < $rows';
const SORTED =
  `SELECT * FROM sales WHERE id < $rows ORDER BY CASE WHEN $sort = 'total' THEN CASE WHEN $descending THEN -total ELSE total END END,
  CASE WHEN $descending THEN -id ELSE id END LIMIT $limit OFFSET $offset`.replaceAll(/\s+/g, ' ');

/** Each kind of view, with the rows that it draws of a page at most. */
export const KINDS = [
  { view: 'table', most: 50 },
  { view: 'line', most: 1_000 },
  { view: 'area', most: 1_000 },
  { view: 'bar', most: 60 },
  { view: 'scatter', most: 1_000 },
  { view: 'map', most: 1_000 },
  { view: 'number', most: 1 },
] as const;

/** The way in which a view is pictured, in docs and in tests. */
export function pictureOptions(view: Kind, theme: string) {
  const args = { rows: view === 'bar' ? 5 : 40 };
  return { args, context: { theme, locale: 'en-GB' }, height: view === 'number' ? 160 : 520 };
}

export type Kind = (typeof KINDS)[number]['view'];

const tools: readonly ToolOptions[] = [
  ...Object.entries(COLUMNS).map(([view, columns]) => ({
    name: view,
    view,
    sql: PAGED(columns),
    more: pages(view === 'table' ? 50 : 1_000),
  })),
  {
    name: 'number',
    view: 'number',
    sql: NUMBERS,
    more: 'parameters: [{ name: rows, type: integer, default: 1000000 }]',
  },
  { name: 'sorted', view: 'table', sql: SORTED, more: pages(50, ORDER) },
  {
    name: 'bounded',
    view: 'table',
    sql: SORTED,
    more: pages(50, ORDER).replace('default: 0 }', 'default: 0, maximum: 60 }'),
  },
  { name: 'whole', view: 'table', sql: 'SELECT * FROM sales ORDER BY id', more: 'limits: { rows: 1000 }' },
  { name: 'thousand', view: 'table', sql: 'SELECT * FROM sales ORDER BY id LIMIT 1000' },
  ...Object.entries({
    gaps: [
      'line',
      "SELECT * FROM (VALUES (DATE '2024-01-01', 1.5), ('2024-01-02', 2), ('2024-01-03', NULL), ('2024-01-31', 9)) t(day, total)",
    ],
    holes: ['scatter', 'SELECT * FROM (VALUES (1, 10), (NULL, 20), (3, 30)) t(a, b)'],
    nowhere: ['map', 'SELECT * FROM (VALUES (48.0, 2.0), (NULL, 2.5), (49.0, 3.0)) t(lat, lon)'],
    pivot: [
      'bar',
      `SELECT 'north' AS region, 10 AS \\"2024\\", 12 AS \\"2023\\" UNION ALL SELECT 'south', 20, 18`,
    ],
    wide: ['bar', "SELECT 'a' AS name, 1 AS a, 2 AS b, 3 AS c, 4 AS d, 5 AS e, 6 AS f, 7 AS g, 8 AS h"],
    shuffled: [
      'line',
      "SELECT * FROM (VALUES (DATE '2024-01-05', 1), ('2024-01-01', 2), ('2024-01-09', 3), ('2024-01-03', 4)) t(day, total)",
    ],
    money: ['line', "SELECT 's' || i AS name, -1000500 - i * 250 AS total FROM range(4) t(i)"],
    long: ['scatter', 'SELECT 1700000000000000 + i AS id, i AS total FROM range(40) t(i)'],
    chinese: ['bar', "SELECT '東京都新宿区西新宿二丁目' || i AS name, i AS total FROM range(7) t(i)"],
    years: ['bar', 'SELECT 2020 + i AS year, i * 1000 AS total FROM range(5) t(i)'],
    amounts: ['table', 'SELECT unnest([12345678901234567890.12, 1.5])::DECIMAL(38, 2) AS total'],
    nothing: ['number', 'SELECT NULL::DOUBLE AS total, 12345678901234567.5::DECIMAL(38, 2) AS sum'],
    texts: ['line', "SELECT 'n' || i AS name FROM range(5000) t(i)"],
    narrow: ['line', "SELECT 'n' || i AS name, 10000 + i * 50 AS total FROM range(9) t(i)"],
    dates: [
      'table',
      "SELECT * FROM (VALUES ('0000-00-00', 1e-9, '9007199254740993'), ('2024-02-30', 2.0, '9007199254740994'), ('2024-02-29', 3.0, '9007199254740992')) t(day, share, id)",
    ],
  }).map(([name, [view = '', sql = '']]) => ({ name, view, sql, mask: false })),
  {
    name: 'seconds',
    view: 'auto',
    sql: "SELECT '1700000000' AS at, 1 AS total UNION ALL SELECT '1700003600', 2",
    more: 'return: { type: array, items: { type: object, properties: { at: { type: string, format: timestamp }, total: { type: number } } } }',
    mask: false,
  },
  { name: 'bare', view: 'table', sql: 'SELECT * FROM sales ORDER BY id LIMIT 20', mask: false },
];

export const TREE: { readonly [path: string]: string } = Object.fromEntries(
  tools.map((tool) => [`tools/${tool.name}.yml`, toTool(tool)]),
);
