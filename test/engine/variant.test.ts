import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALICE, type EngineName, type Served, SITE, serveTree } from '../unit/call/project.ts';
import { answersOf } from './restricted-answers.ts';

const OPEN = `${SITE}sql_tools:\n  enabled: true\n`;

describe.each<EngineName>(['wasm', 'native', 'native, read-write'])(
  'a VARIANT of the database on %s',
  (engine) => {
    // Databases of svc keep no columns of this type, and views may have them.
    const DEFINED = `CREATE TYPE var AS VARIANT; CREATE SCHEMA s; CREATE VIEW v AS SELECT 1 AS id, NULL::VARIANT AS x;
    CREATE VIEW s.more AS SELECT [x] AS x FROM v; CREATE VIEW w AS SELECT {'a': x} AS x FROM v;
    CREATE VIEW texts AS SELECT x::JSON AS x, 'VARIANT'::ENUM('VARIANT') AS e, {'VARIANTS': 1} AS s FROM v;
    CREATE MACRO make(x) AS x::VARIANT; CREATE TABLE docs AS SELECT 1 AS id, 'red' AS variant;
    CREATE MACRO wrap(x) AS make(x); CREATE MACRO listed(x) AS TABLE SELECT x::var AS x; CREATE TYPE pair AS STRUCT(a VARIANT);
    CREATE VIEW first_view AS SELECT 1 AS x; CREATE VIEW second_view AS FROM first_view;
    CREATE OR REPLACE VIEW first_view AS SELECT NULL::VARIANT AS x;
    CREATE TABLE product_variants AS SELECT 1 AS id, 10 AS price;
    CREATE MACRO total(x) AS (SELECT sum(price) FROM product_variants WHERE id = x);
    CREATE MACRO variant_price(x) AS total(x)`;
    const rules = `  tables: [{ name: docs }, { name: texts }, { name: s.more }, { name: v, hide: [x] }, { name: second_view }]\n`;
    let open: Served;
    let ruled: Served;
    beforeAll(async () => {
      open = await serveTree({ 'svc-site.yml': OPEN }, DEFINED, engine);
      ruled = await serveTree({ 'svc-site.yml': OPEN + rules }, DEFINED, engine);
    });
    afterAll(() => Promise.all([open?.close(), ruled?.close()]));

    it.each([
      'SELECT hash(COALESCE(x, [1, NULL, 2])) AS n FROM v',
      'SELECT count(*) AS n FROM V WHERE x < [1, NULL]',
      "SELECT count(*) AS n FROM 'v'",
      String.raw`SELECT count(*) AS n FROM E'\x76'`,
      'SELECT hash(x) AS n FROM main."w"',
      'SELECT hash(x) AS n FROM s.more',
      'SELECT hash(make([1, NULL])) AS n',
      'SELECT hash([1, NULL]::"var") AS n',
      'SELECT hash(wrap([1, NULL])) AS n',
      'SELECT hash([1, NULL].wrap()) AS n',
      'SELECT hash(x) AS n FROM listed([1, NULL])',
      'SELECT hash({a: [1, NULL]}::pair) AS n',
      'SELECT hash(COALESCE(x, [1, NULL])) AS n FROM second_view',
    ])('is refused to callers: %s', async (sql) => {
      const [answer] = await answersOf([open], ALICE, sql);
      expect(answer).toEqual({ error: expect.stringContaining('may have values of the type VARIANT') });
    });

    it.each(['SELECT id, variant FROM docs', 'SELECT x, e, s FROM texts'])(
      'is no other thing: %s',
      async (sql) => {
        for (const answer of await answersOf([open, ruled], ALICE, sql))
          expect(answer).toEqual({ value: [expect.anything()] });
      },
    );

    it('is not in a macro that only has the word, nor where a macro is not called', async () => {
      const sql = "SELECT variant_price(1) AS total, id AS make, 'wrap' AS wrap FROM product_variants";
      const row = { total: 10, make: 1, wrap: 'wrap' };
      expect(await answersOf([open], ALICE, sql)).toEqual([{ value: [row] }]);
    });

    // The structure of from_json is a text, and names no type that the check of the text sees.
    it.each([
      String.raw`'["VARI\ANT"]'::VARCHAR[]::JSON`,
      `'["VARIANT"]'`,
      String.raw`'["VAR\u0049ANT"]'`,
      `'["var"]'`,
      `'[{"product": "main.pair"}]'`,
      `'["STRUCT(a STRUCT(b var))"]'`,
    ])('is refused in the structure %s', async (structure) => {
      const sql = `SELECT hash(CASE WHEN i < 0 THEN from_json(i::VARCHAR, ${structure})[1] ELSE [1, NULL] END) AS n FROM range(1) r(i)`;
      const reason = /^sql_rejected: .*(?:the type VARIANT|of type VARIANT|as one text)/;
      expect(await answersOf([open], ALICE, sql)).toEqual([{ error: expect.stringMatching(reason) }]);
    });

    it('is not in a structure whose fields only have the word', async () => {
      const structure = '{"product_variant": "VARCHAR", "variant": {"VARIANT": "DATE"}}';
      const sql = `SELECT from_json('{"product_variant": "red"}', '${structure}') AS parsed`;
      const parsed = { product_variant: 'red', variant: null };
      expect(await answersOf([open], ALICE, sql)).toEqual([{ value: [{ parsed }] }]);
    });

    it('is refused under rules if it is visible, and tells of nothing else', async () => {
      const refused = { error: expect.stringContaining('It names "s.more", which may have') };
      expect(await answersOf([ruled], ALICE, 'SELECT hash(x) AS n FROM "s.more"')).toEqual([refused]);
      const renewed = { error: expect.stringContaining('It names second_view, which may have') };
      expect(await answersOf([ruled], ALICE, 'SELECT hash(x) AS n FROM second_view')).toEqual([renewed]);
      for (const sql of [
        'SELECT id FROM v',
        'WITH w AS (SELECT 1 AS id) FROM w',
        'SELECT 1 AS id, 2 AS make',
      ])
        expect(await answersOf([ruled], ALICE, sql)).toEqual([
          { value: [expect.objectContaining({ id: 1 })] },
        ]);
    });
  },
);
