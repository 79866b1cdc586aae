/** The rows of every home: NULL, letters beyond ASCII, decimals, days. */
export const ROWS = `SELECT i::INTEGER AS id, CASE i % 3 WHEN 0 THEN 'north' WHEN 1 THEN 'söuth' END AS region,
(i * 1.25)::DECIMAL(10,2) AS amount, DATE '2026-01-01' + (i % 40)::INTEGER AS day FROM range(500) t(i)`;

/** SQLite has no decimals and dates of its own, so the statements name the types that they mean. */
const TYPED =
  'SELECT id::INTEGER AS id, region, amount::DECIMAL(10,2) AS amount, day::DATE AS day FROM sales';

const FILTERS = [
  'true',
  'false',
  's.id = $least',
  's.id < $least',
  's.id BETWEEN $least AND $least + 20',
  's.id % 7 = 2',
  "region = 'north'",
  "region = 'söuth'",
  'region IS NULL',
  'region IS NOT NULL AND s.id > $least',
  "region LIKE '%ö%'",
  "region IN ('north', 'söuth') AND amount < 100",
  "NOT (region = 'north') OR s.id = 0",
  'amount > 300',
  'amount = 8.75',
  'amount % 2 = 0',
  "day = DATE '2026-01-07'",
  "day >= DATE '2026-02-01'",
  'dayofweek(day) = 1 AND s.id <> $least',
  "day BETWEEN DATE '2026-01-10' AND DATE '2026-01-12' OR s.id = $least",
];

const SHAPES = [
  'SELECT * FROM s WHERE {f} ORDER BY ALL LIMIT 40',
  'SELECT region, count(*) AS n, sum(amount) AS total, avg(amount) AS mean, min(day) AS since FROM s WHERE {f} GROUP BY ALL ORDER BY ALL',
  "SELECT strftime(day, '%Y-%m') AS month, region, sum(amount) AS total, grouping(region) AS g FROM s WHERE {f} GROUP BY ROLLUP (month, region) ORDER BY ALL",
  'SELECT id, sum(amount) OVER (PARTITION BY region ORDER BY id) AS running, lag(day) OVER (ORDER BY id) AS before FROM s WHERE {f} ORDER BY id LIMIT 50',
  'SELECT s.id, b.id AS other, b.amount - s.amount AS more FROM s JOIN typed b ON b.id = s.id + 3 WHERE {f2} ORDER BY ALL LIMIT 30',
  "SELECT count(DISTINCT day) AS days, count(region) AS known, string_agg(DISTINCT region, ',' ORDER BY region) AS regions, list(id ORDER BY id)[:5] AS ids FROM s WHERE {f}",
  'SELECT day, max_by(id, amount) AS best, median(amount) AS middle FROM s WHERE {f} GROUP BY day HAVING count(*) > 3 ORDER BY ALL',
  'SELECT * FROM s WHERE id IN (SELECT max(s.id) FROM typed s WHERE {f} GROUP BY region) ORDER BY ALL',
  '(SELECT region, amount FROM s WHERE {f}) EXCEPT (SELECT region, amount FROM typed WHERE id < 9) ORDER BY ALL LIMIT 25',
  "SELECT {'region': region, 'most': max(amount)} AS item, [min(day), max(day)] AS days, MAP {'n': count(*)} AS counts FROM s WHERE {f} GROUP BY region ORDER BY region",
];

/** Generated statements, each with the parameter `least`. */
export const QUERIES: readonly string[] = SHAPES.flatMap((shape) =>
  FILTERS.map((filter) => {
    const joined = filter.replaceAll(/(?<![.\w])(region|amount|day)\b(?!')/g, 's.$1');
    const text = shape.replace('{f2}', joined).replace('{f}', filter);
    return `WITH typed AS (${TYPED}), s AS (FROM typed WHERE id >= $least % 9) ${text}`;
  }),
);
