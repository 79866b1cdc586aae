import { describe, expect, it } from 'vitest';
import type { ScanLimits, SqlResult } from '../../../src/ports.ts';
import type { SqlValue } from '../../../src/sql-value.ts';
import { callOf, errorOf } from '../fixture.ts';
import type { Subject } from './subject.ts';

/** Estimates of a statement's scans, and the limits on them. */
export function describeScans(subject: Subject): void {
  const scan = (sql: string, limits: ScanLimits, values: readonly SqlValue[] = []): Promise<SqlResult> =>
    subject.database.run({ sql, values, mode: 'read', maxRows: 5, scan: limits }, callOf());

  describe('limits on scans', () => {
    it('refuse a statement whose plan estimates more, without the name of a table', async () => {
      const error = await errorOf(scan('SELECT * FROM items', { rows: 1_000 }));
      expect(error).toMatchObject({
        code: 'scan_too_large',
        detail: { estimate: { rows: 2_000 }, limit: { rows: 1_000 } },
      });
      expect(error.message).toMatch(/^The statement would scan about 2000 rows, and the limit is 1000/);
      expect(error.message).toContain('`limits.scan_rows`');
      expect(error.message).not.toContain('items');
    });

    it('let a smaller one run, and tell its estimate', async () => {
      const { rows, estimate } = await scan('SELECT sum(id)::INTEGER AS n FROM items', { rows: 2_000 });
      expect(rows).toEqual([{ n: 1_999_000 }]);
      expect(estimate?.rows).toBe(2_000);
    });

    it('use the values of parameters', async () => {
      const sql = 'SELECT name FROM items WHERE id = $1';
      const { rows, estimate } = await scan(sql, { rows: 100 }, [7n]);
      expect(rows).toEqual([{ name: 'item 7' }]);
      expect(estimate?.rows).toBeLessThan(100);
    });

    it('add up every scan, of subqueries too', async () => {
      const { estimate } = await scan('SELECT 1 FROM items a JOIN items b USING (id) LIMIT 1', {
        rows: 4_000,
      });
      expect(estimate?.rows).toBe(4_000);
      const sql = 'SELECT sum(id) FROM items WHERE id IN (SELECT id + 1 FROM items)';
      expect((await errorOf(scan(sql, { rows: 2_000 }))).code).toBe('scan_too_large');
    });

    it('count rows that a function makes', async () => {
      const error = await errorOf(scan('SELECT count(*) FROM range(5000000)', { rows: 1_000_000 }));
      expect(error.code).toBe('scan_too_large');
    });

    it('count nothing where nothing is scanned', async () => {
      expect((await scan('SELECT 1 AS n', { rows: 1 })).estimate?.rows).toBe(0);
    });

    it('are not looked at unless they are set', async () => {
      const request = { sql: 'SELECT 1 FROM items', values: [], mode: 'read', maxRows: 1 } as const;
      expect(await subject.database.run(request, callOf())).not.toHaveProperty('estimate');
    });

    it('report errors of a statement as before', async () => {
      const error = await errorOf(scan('SELECT 1 FROM nowhere', { rows: 1 }));
      expect(error.code).toBe('sql_failed');
    });
  });
}
