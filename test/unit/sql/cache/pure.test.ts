import { describe, expect, it } from 'vitest';
import { type Definitions, isPure } from '../../../../src/sql/cache/pure.ts';

const DEFINITIONS: Definitions = {
  views: new Map([
    ['plain', ['CREATE VIEW "plain" AS SELECT id, upper("name") AS "as" FROM items;']],
    ['nested', ['CREATE VIEW nested AS SELECT * FROM plain;']],
    ['mine', ['CREATE VIEW mine AS SELECT * FROM items WHERE (owner = get_username());']],
    ['deep', ['CREATE VIEW deep AS SELECT * FROM "Mine";']],
    ['dated', ['CREATE VIEW dated AS SELECT *, current_date AS "day" FROM items;']],
    [
      'twice',
      ['CREATE VIEW twice AS SELECT 1 AS one;', 'CREATE VIEW other.twice AS SELECT random() AS one;'],
    ],
    ['loop', ['CREATE VIEW loop AS SELECT * FROM loop;']],
    ['casting', ['CREATE VIEW casting AS SELECT CAST(\'now\' AS TIMESTAMP) AS "at";']],
    ['odd', ['something else']],
    ['a as select 1', ['CREATE VIEW "a AS SELECT 1" AS SELECT now();']],
    ['computed', ['']],
  ]),
  macros: new Set(['lower', 'tax']),
  overridden: false,
};

describe('isPure', () => {
  it.each([
    'SELECT name FROM items WHERE id = $1',
    'FROM items SELECT count(*)',
    'VALUES ($1)',
    "SELECT upper(name), date_trunc('day', at) FROM items WHERE name LIKE $1 ORDER BY 1 LIMIT 3",
    'WITH big AS (SELECT * FROM items WHERE price > 3) SELECT sum(price) OVER (PARTITION BY name) FROM big',
    'SELECT CAST(price AS DECIMAL(10, 2)) FROM items WHERE id IN ($1, $2) AND EXISTS (FROM items)',
    'SELECT * FROM plain JOIN nested USING (id)',
    "SELECT 'now() and random()' AS text -- now()",
    'SELECT list_transform([1, 2], lambda x: x + 1), unnest(range(3))',
    'SELECT name.upper() FROM items',
  ])('holds for %s', (sql) => {
    expect(isPure(sql, DEFINITIONS)).toBe(true);
  });

  it.each([
    'SELECT now()',
    'SELECT "now"()',
    'SELECT now /* blank */ ()',
    'SELECT current_date',
    'SELECT CURRENT_TIMESTAMP',
    'SELECT localtime, name FROM items',
    'SELECT "user" FROM items',
    'SELECT random() FROM items',
    'SELECT * FROM items USING SAMPLE 3',
    'SELECT * FROM items TABLESAMPLE 10%',
    "SELECT nextval('numbers')",
    'SELECT get_username()',
    "SELECT getvariable('x')",
    "SELECT current_setting('TimeZone')",
    "SELECT * FROM read_csv('items.csv')",
    'SELECT * FROM duckdb_tables',
    'SELECT * FROM information_schema.tables',
    "SELECT 'now'::TIMESTAMP",
    "SELECT CAST(' today ' AS DATE)",
    'SELECT age(at) FROM items',
    'SELECT unknown_function(1)',
    'SELECT lower(name) FROM items',
    'SELECT * FROM tax(1)',
    'SELECT * FROM mine',
    'SELECT * FROM deep',
    'SELECT * FROM DATED',
    'SELECT * FROM main.twice',
    'SELECT * FROM casting',
    'SELECT * FROM odd',
    'SELECT * FROM "a AS SELECT 1"',
    'SELECT * FROM computed',
    "SELECT * FROM 'dated'",
    "SELECT * FROM items, 'DATED'",
    'SELECT * FROM $$dated$$',
    'SELECT * FROM $_$dated$_$',
    "SELECT * FROM E'date\\x64'",
    "SELECT * FROM 'duckdb_tables'",
    "SELECT * FROM histogram('main.' || 'dated', at)",
    'SELECT 1; SELECT 2',
    'INSERT INTO items VALUES (1)',
    'SET x = 1',
    'DESCRIBE items',
    '',
  ])('does not hold for %s', (sql) => {
    expect(isPure(sql, DEFINITIONS)).toBe(false);
  });

  it('holds for nothing where a macro may stand behind an operator', () => {
    expect(isPure('SELECT 1 + 1', { ...DEFINITIONS, overridden: true })).toBe(false);
  });

  it('ends for views that name themselves', () => {
    expect(isPure('SELECT * FROM loop', DEFINITIONS)).toBe(true);
  });
});
