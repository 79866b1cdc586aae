import { describe, expect, it } from 'vitest';
import { answerOf, errorOf, read } from '../fixture.ts';
import type { Subject } from './subject.ts';

/** Opening a file, closing it, and files that are none. */
export function describeOpening(subject: Subject): void {
  describe('opening', () => {
    it('says what it is', () => {
      expect(subject.database.engine).toBe(subject.engine);
      expect(subject.database.readonly).toBe(true);
    });

    it.each(['missing', 'broken'] as const)('says clearly that a file is %s', async (kind) => {
      const error = await errorOf(subject.open(subject.fixture[kind]));
      expect(error.code).toBe('database_unavailable');
      expect(error.message).toContain(`${kind}.duckdb`);
    });

    it('closes once and for all, and opens again', async () => {
      const first = await subject.open(subject.fixture.shop);
      expect(await answerOf(first, 'count(*) FROM items')).toBe(2000);
      await first.close();
      await first.close();
      expect((await errorOf(read(first, 'SELECT 1'))).code).toBe('database_unavailable');
      const second = await subject.open(subject.fixture.shop);
      expect(await answerOf(second, 'count(*) FROM items')).toBe(2000);
      await second.close();
    });
  });
}
