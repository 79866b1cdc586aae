import type { DuckDBConnection } from '@duckdb/node-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { scanParameters } from '../../../src/sql/parameters.ts';
import { statementsOf } from '../../../src/sql/statement.ts';
import { cpuMs } from '../cpu.ts';
import { createRandom, type Random } from '../types/random.ts';
import { openDuckDb, readByDuckDb } from './duckdb.ts';

let duckdb: DuckDBConnection;
beforeAll(async () => {
  duckdb = await openDuckDb();
});

const problems = (sql: string) =>
  scanParameters(sql).problems.map(({ offset, message }) => `${offset}: ${message}`);

describe('named parameters', () => {
  // Requirements: endpoint.source
  it('become positions, the same for the same name', () => {
    const scan = scanParameters('SELECT $b + $a::INT, -$b FROM t WHERE x=$a_1');
    expect(scan.names).toEqual(['b', 'a', 'a_1']);
    expect(scan.uses.map(({ offset }) => offset)).toEqual([7, 12, 22, 40]);
    expect(scan.rewrite()).toEqual({
      sql: 'SELECT $1 + $2::INT, -$1 FROM t WHERE x=$3',
      order: ['b', 'a', 'a_1'],
    });
  });

  it.each([
    "SELECT '$x', 'it''s $x', '\\'",
    "SELECT E'\\'$x', e'\\\\', E'a''$x'",
    "SELECT E'a'\n  '\\'$x', E'a' -- it's\n '\\' $x'",
    'SELECT 1 AS "$x", 2 AS "a""$x"',
    'SELECT 1 -- $x\n',
    'SELECT /* $x /* $x */ $x */ 1',
    'SELECT $$ $x $$, $tag$ $x $$ $ta$ $tag$, $ü$ $x $ü$',
    'SELECT 1 AS a$x, 1 AS _$x$',
    "SELECT x'00$x', n'$x'",
    'SELECT 1;',
    '',
  ])('are none in %s', (sql) => {
    expect(scanParameters(sql)).toMatchObject({ names: [], uses: [], problems: [] });
    expect(scanParameters(sql).rewrite()).toEqual({ sql, order: [] });
  });

  it.each([
    ['SELECT $1, $a', '7: $1 is a positional parameter: give it a name'],
    ['SELECT ?', '7: ? is a positional parameter'],
    ['SELECT ?12', '7: ?12 is a positional parameter'],
    ['SELECT $ a', '7: A single $ is not a parameter'],
    ['SELECT $"a"', '7: A single $ is not a parameter'],
    ["SELECT 'abc", '7: This string is never closed'],
    ["SELECT 'a''''", '7: This string is never closed'],
    ["SELECT E'abc\\'", '7: This string is never closed'],
    ['SELECT "abc', '7: This quoted name is never closed'],
    ['SELECT 1 /* a /* b */', '9: This comment is never closed (comments nest'],
    ['SELECT $$ a', '7: The text that $$ opens is never closed with $$'],
    ['SELECT $a$b', '7: The text that $a$ opens is never closed with $a$ (put a blank between'],
    ['SELECT 1\0, $a', '8: A NUL character'],
  ])('%j is refused at the right place', (sql, expected) => {
    expect(problems(sql)).toHaveLength(1);
    expect(problems(sql)[0]).toContain(expected);
  });
});

describe('as DuckDB reads them', () => {
  it('in valid SQL of every lexical kind', async () => {
    const random = createRandom(21);
    for (let round = 0; round < 250; round += 1) {
      const sql = randomSql(random);
      const read = await readByDuckDb(duckdb, sql);
      const statements = statementsOf(sql);
      expect({ sql, count: statements.length, problems: problems(sql) }).toEqual({
        sql,
        count: read?.count,
        problems: [],
      });
      const ours = statements.map(({ text }) => [...scanParameters(text).names].sort());
      expect({ sql, names: ours }).toEqual({
        sql,
        names: read?.names.map((names) => [...(names ?? [])].sort()),
      });
    }
  });

  it('so that the rewritten SQL answers the same', async () => {
    const random = createRandom(22);
    for (let round = 0; round < 100; round += 1) {
      const sql = randomStatement(random);
      const { order, sql: rewritten } = scanParameters(sql).rewrite();
      const named = Object.fromEntries(order.map((name, index) => [name, index + 10]));
      const before = await duckdb.runAndReadAll(sql, order.length > 0 ? named : undefined);
      const after = await duckdb.runAndReadAll(
        rewritten,
        order.length > 0 ? order.map((_, index) => index + 10) : undefined,
      );
      expect({ sql, rows: after.getRowsJson() }).toEqual({ sql, rows: before.getRowsJson() });
    }
  });

  it('in noise: what DuckDB parses we read alike, what we call unclosed it refuses', async () => {
    const random = createRandom(23);
    let parsed = 0;
    for (let round = 0; round < 2500; round += 1) {
      const sql = `SELECT ${random.list(7, () => random.pick(NOISE)).join('')}`;
      const read = await readByDuckDb(duckdb, sql);
      const found = problems(sql);
      if (found.some((line) => line.includes('never closed')))
        expect({ sql, read }).toEqual({ sql, read: null });
      if (read === null || found.length > 0) continue;
      parsed += 1;
      expect({ sql, count: statementsOf(sql).length }).toEqual({ sql, count: read.count });
      for (const [index, names] of read.names.entries()) {
        const text = statementsOf(sql)[index]?.text ?? '';
        const ours = scanParameters(text.toLowerCase()).names;
        if (names !== null)
          expect({ sql, names: [...ours].sort() }).toEqual({ sql, names: [...names].sort() });
      }
    }
    expect(parsed).toBeGreaterThan(100);
  });
});

describe('Unicode blanks', () => {
  const blanks = [...'\u00a0\u2000\u2009\u200a\u200b\u202f\u205f\u2060\u3000\ufeff'];
  it.each(blanks)('%j is a blank for DuckDB and for us, outside of quotes', async (blank) => {
    const sql = `${blank}SELECT${blank}'$x${blank}'${blank}AS${blank}a,${blank}$a${blank}AS${blank}b`;
    const { names, rewrite } = scanParameters(sql);
    expect(names).toEqual(['a']);
    const result = await duckdb.runAndReadAll(rewrite().sql, [7]);
    expect(result.getRowObjectsJson()).toEqual([{ a: `$x${blank}`, b: 7 }]);
  });

  it.each([...'\u0085\u1680\u200c\u200d\u2028\ufffe'])('%j is a letter', async (letter) => {
    expect(scanParameters(`SELECT $a${letter}`).names).toEqual([`a${letter}`]);
    const read = await readByDuckDb(duckdb, `SELECT $a${letter}`);
    expect(read?.names).toEqual([[`a${letter}`]]);
  });
});

describe('any text', () => {
  it('without parameters comes back byte for byte, and every text is covered without gaps', () => {
    const random = createRandom(24);
    for (let round = 0; round < 6000; round += 1) {
      const sql = random
        .list(14, () => random.pick([...NOISE, '\0', '\ud83d', '?', '$1', '\\', 'é']))
        .join('');
      const scan = scanParameters(sql);
      const { sql: rewritten, order } = scan.rewrite();
      if (order.length === 0) expect(rewritten).toBe(sql);
      expect(rewritten.replace(/\$\d+/g, '').length).toBeLessThanOrEqual(sql.length);
      for (const { offset } of scan.problems) expect(offset).toBeLessThan(sql.length);
    }
  });

  it.each([
    "'",
    '"',
    '$a$',
    '$a ',
    '/*',
    '(',
    '--',
    '$',
    ';',
    "e'' \n ",
    "e'' -- ",
    "e'\\",
    "e''--\n",
    "''\n",
    'x',
    '1',
    '\u00a0',
  ])('100 kB of %j takes linear time', (unit) => {
    const sql = unit.repeat(100_000 / unit.length);
    const start = cpuMs();
    scanParameters(sql).rewrite();
    expect(cpuMs() - start).toBeLessThan(20_000);
  });

  it('of many megabytes in one string is no trouble', () => {
    for (const sql of [
      `'${"''".repeat(1e7)}`,
      `e'${'\\x'.repeat(1e6)}`,
      `"${'a'.repeat(1e7)}`,
      `$$${'$'.repeat(1e6)}`,
    ]) {
      expect(scanParameters(sql).names).toEqual([]);
    }
  });
});

const EXPRESSIONS = [
  '$a',
  '$b::INTEGER',
  '$c_1 + 1',
  '-$a',
  '($b)',
  "'x$a;'",
  "'it''s ; $b'",
  "E'\\'$a;'",
  "e'\\\\'",
  "E'a'\n '\\';$a'",
  '$$ $a ; $$',
  "$t$ ' ; $u$ $t$",
  "x'00'",
  '1.5',
  '2e3',
  '0x1F',
  '1_000',
  '1 AS "q;$a"',
  '1 AS a$b',
  '[1, $a][1]',
  "{'k': $b::INTEGER}",
  '1 <> $a',
  '$a-$b',
  '3 // 2',
  '- -1',
];
const GAPS = [' ', '  ', '\n', '\t', '\r\n', ' /* ; $x */ ', ' /* a /* \' */ " */ ', " -- it's $x;\n"];
const NOISE = [
  '$a',
  '$b',
  '$',
  "'",
  '"',
  "E'",
  '\\',
  '$$',
  '$t$',
  '/*',
  '*/',
  '--',
  '\n',
  ' ',
  ';',
  '1',
  'x',
  ',',
  '::INT',
  '(',
  ')',
  'e',
  '-',
  '+',
  "''",
  '1 ',
  'SELECT ',
];

function randomStatement(random: Random): string {
  const gap = () => random.pick(GAPS);
  const expressions = [random.pick(EXPRESSIONS), ...random.list(5, () => random.pick(EXPRESSIONS))];
  return `SELECT${gap()}${expressions.join(`${gap()},${gap()}`)}`;
}

function randomSql(random: Random): string {
  const between = () => random.pick([';', ';', ' ; ', ';;', ';\n-- $x;\n', '; /* ; */ ']);
  const first = randomStatement(random);
  return (
    random.list(2, () => randomStatement(random)).reduce((sql, next) => sql + between() + next, first) +
    random.pick(['', between()])
  );
}
