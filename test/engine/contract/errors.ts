import { describe, expect, it } from 'vitest';
import { answerOf, errorOf, read } from '../fixture.ts';
import type { Subject } from './subject.ts';

/** Errors of the statement, in DuckDB's words about the statement as written. */
export function describeErrors(subject: Subject): void {
  describe('errors', () => {
    it.each([
      ['SELEC 1', /syntax error/],
      ['SELECT * FROM nowhere', /nowhere/],
      ['SELECT nothing FROM items', /nothing/],
      ["SELECT 'x'::INTEGER", /Could not convert/],
      ["SELECT error('boom')", /boom/],
      ['SELECT no_such_function(1)', /no_such_function/],
      ['SELECT 2147483647::INTEGER + 1::INTEGER', /Overflow/],
      ['PIVOT items ON name USING count(*)', /A PIVOT must name its values, as in `.* ON year IN \(/],
      ['FROM (PIVOT items ON name USING count(*));', /A PIVOT must name its values/],
    ])("%s is the statement's own fault", async (sql, text) => {
      const error = await errorOf(read(subject.database, sql));
      expect(error.code).toBe('sql_failed');
      expect(error.message).toMatch(text);
    });

    it.each([
      ['SELEC 1', 'Parser Error: syntax error at or near "1"\n\nLINE 1: SELEC 1\n              ^'],
      [
        'SELECT id\nFROM items\nWHERE nothing = 1',
        'Binder Error: Referenced column "nothing" not found in FROM clause!\nCandidate bindings: "name"\n\nLINE 3: WHERE nothing = 1\n              ^',
      ],
    ])('of %s point at the place', async (sql, message) => {
      expect((await errorOf(read(subject.database, sql))).message).toBe(message);
    });

    it('count the lines before the statement, and none behind its semicolon', async () => {
      const sql = '\n-- the first line is blank\nSELECT nothing FROM items;\n-- the end;';
      expect((await errorOf(read(subject.database, sql))).message).toMatch(
        /"nothing" not found [\s\S]*\n\nLINE 3: SELECT nothing FROM items\n {15}\^$/,
      );
    });

    it('leave nothing behind', async () => {
      await errorOf(read(subject.database, "SELECT error('boom') FROM items"));
      expect(await answerOf(subject.database, 'count(*) FROM items')).toBe(2000);
    });
  });
}
