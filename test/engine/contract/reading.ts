import { describe, expect, it } from 'vitest';
import { answerOf, callOf, errorOf, read } from '../fixture.ts';
import { WRITES } from '../refused.ts';
import type { Subject } from './subject.ts';

/** A statement that reads does nothing else. */
export function describeReading(subject: Subject): void {
  describe('what only reads', () => {
    it.each(WRITES)('does not do: %s', async (sql) => {
      const { code } = await errorOf(read(subject.database, sql));
      expect(['sql_failed', 'sql_rejected', 'database_readonly']).toContain(code);
    });

    it('refuses to write, and says so', async () => {
      const request = { sql: 'DELETE FROM items', values: [], mode: 'write', maxRows: 1 } as const;
      expect((await errorOf(subject.database.run(request, callOf()))).code).toBe('database_readonly');
      expect((await errorOf(subject.database.prepare(request.sql, 'write'))).code).toBe('database_readonly');
    });

    it('does not say of EXPLAIN that it writes', async () => {
      const { code, message } = await errorOf(subject.database.prepare('EXPLAIN SELECT 1', 'write'));
      expect({ code, message }).toEqual({
        code: 'database_readonly',
        message: expect.stringMatching(
          /^Only queries run on .*, which is open read-only, and EXPLAIN is none\./,
        ),
      });
    });

    it('does not take an unknown verb for a write', async () => {
      const request = { sql: 'foo bar', values: [], mode: 'write', maxRows: 1 } as const;
      expect((await errorOf(subject.database.run(request, callOf()))).code).toBe('sql_failed');
      expect((await errorOf(subject.database.prepare(request.sql, 'write'))).code).toBe('sql_failed');
    });

    it('is still as it was', async () => {
      expect(await answerOf(subject.database, 'count(*) FROM items')).toBe(2000);
      expect(await answerOf(subject.database, 'count(*) FROM duckdb_tables()')).toBe(1);
    });
  });
}
