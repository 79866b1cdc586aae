import { describe, expect, it } from 'vitest';
import { errorOf } from '../fixture.ts';
import type { Subject } from './subject.ts';

/** Planning a statement without running it. */
export function describePreparing(subject: Subject): void {
  describe('preparing', () => {
    it('accepts what would run', async () => {
      await subject.database.prepare('SELECT * FROM items WHERE id = $1 AND name = $2', 'read');
      await subject.database.prepare("SELECT get_username(), get_request_header('x') FROM mine", 'read');
    });

    it('accepts the end of a statement', async () => {
      await subject.database.prepare('SELECT id FROM items; -- the end;\n', 'read');
    });

    it.each(['SELECT * FROM nowhere', 'SELEC 1', 'SELECT nothing FROM items', 'SELECT 1; SELECT 2'])(
      'finds what is wrong with %s',
      async (sql) => {
        expect((await errorOf(subject.database.prepare(sql, 'read'))).code).toBe('sql_failed');
      },
    );

    it('names no columns of a read', async () => {
      expect(await subject.database.prepare('SELECT 1 AS a, 2 AS a', 'read')).toEqual([]);
    });

    it('does not run the statement', async () => {
      await subject.database.prepare("SELECT error('boom') FROM items", 'read');
    });
  });
}
