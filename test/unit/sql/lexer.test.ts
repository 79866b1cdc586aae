import type { DuckDBConnection } from '@duckdb/node-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { isObject, type JsonObject, type JsonValue } from '../../../src/json.ts';
import { lexSql } from '../../../src/sql/lexer.ts';
import { createRandom } from '../types/random.ts';
import { openDuckDb } from './duckdb.ts';

let duckdb: DuckDBConnection;
beforeAll(async () => {
  duckdb = await openDuckDb();
});

const textsOf = (sql: string) => lexSql(sql).tokens.map(({ start, end }) => sql.slice(start, end));

describe('the tokens of SQL', () => {
  it.each([
    ['1_000', '1_000'],
    ['1_$$', '1 _$$'],
    ['1__2$$', '1 __2$$'],
    ['1.5_$$', '1.5 _$$'],
    ['1_0.5_0_a', '1_0.5_0 _a'],
    ['1._5', '1. _5'],
    ['.5_$$', '.5 _$$'],
    ['1.e5', '1.e5'],
    ['1..2', '1 .. 2'],
    ['..5.e5$$ $$', '.. 5.e5 $$ $$'],
    ["1e5$$x$$e-1_0'a'", "1e5 $$x$$ e - 1_0 'a'"],
    ["1e+5E'\\''", "1e+5 E'\\''"],
    ["1E'\\''", "1 E'\\''"],
    ["1_E'\\'", "1 _E '\\'"],
    ['$1_0$$x$$', '$1_0 $$x$$'],
    ['$1_$$', '$1 _$$'],
    ['?1_0$$x$$', '?1_0 $$x$$'],
    ["$e'\\''", "$ e'\\''"],
    ['a$1.5', 'a$1 .5'],
  ])('of %s are %s', (sql, tokens) => {
    expect(textsOf(sql).join(' ')).toBe(tokens);
  });

  it('begin and end where those of DuckDB do, whatever stands side by side', async () => {
    const random = createRandom(25);
    let compared = 0;
    for (let round = 0; round < 3000; round += 1) {
      const sql = `SELECT ${random.list(7, () => random.pick(PIECES)).join('')}`;
      const { tokens, problems } = lexSql(sql);
      const tree = await parse(sql);
      const found = refusedToken(sql, tree);
      if (found !== null) {
        compared += 1;
        expect({ sql, start: tokens.some(({ start }) => start === found.start) }).toEqual({
          sql,
          start: true,
        });
        expect({ sql, end: tokens.some(({ end }) => end === found.end) }).toEqual({ sql, end: true });
      }
      if (tree.error !== false) continue;
      expect({ sql, problems: problems.filter(({ message }) => message.includes('never closed')) }).toEqual({
        sql,
        problems: [],
      });
      const reads = JSON.stringify(tree).includes('"mark"');
      const isThere = textsOf(sql).some((text) => /^\$?(['"]?)mark\1$/.test(text));
      expect({ sql, hidden: reads && !isThere }).toEqual({ sql, hidden: false });
    }
    expect(compared).toBeGreaterThan(1000);
  });
});

const PIECES: readonly string[] = [
  ...['1', '2', '_', '.', '..', 'e', 'E', 'x', 'n', 'U&', 'b', '0x1F', '1e5', '1.', 'a', 'é', '\u2028'],
  ...['$', '$$', '$a$', '"', "'", "''", '""', '\\', "E'", '--', '/*', '*/', '\n', '\r', ' ', '\f', '\v'],
  ...[';', ',', '(', ')', '::', '->', '=>', '<', '>', '=', '!', '@', '#', '%', '^', '&', '|', '~', '/', '*'],
  ...['-', '+', '?', '?1', '$1', '[', ']', '{', '}', ':', ' mark ', 'mark', ' AS ', 'E', '_'],
];

async function parse(sql: string): Promise<JsonObject> {
  const result = await duckdb.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql]);
  const tree: JsonValue = JSON.parse(String(result.getRows()[0]?.[0]));
  if (!isObject(tree)) throw new Error(sql);
  return tree;
}

/** The place of the token that DuckDB refuses; null if it refuses none. It takes a parameter for `$` and a name. */
function refusedToken(sql: string, tree: JsonObject): { start: number; end: number } | null {
  const [, text] = /^syntax error at or near "([\s\S]*)"$/.exec(String(tree.error_message)) ?? [];
  if (text === undefined) return null;
  const start = [...sql].slice(0, Number(tree.position)).join('').length;
  const named = text === '$' ? /^\$\w+/.exec(sql.slice(start)) : null;
  return { start, end: start + (named?.[0] ?? text).length };
}
