import { describe, expect, it } from 'vitest';
import { answerOf, errorOf, read } from '../fixture.ts';
import type { Subject } from './subject.ts';

const RUNAWAY = 'SELECT count(*) FROM range(100000000) a(x), range(1000000) b(y) WHERE x * y % 7 = 3';
const HUNGRY = "SELECT count(*) FROM (SELECT DISTINCT i, 'text ' || i FROM range(5000000) t(i))";

/** A busy machine ends a runaway late; one that nothing ends would outlast the test. */
const SLACK_MS = 10_000;

/** Deadline, cancellation and memory, and nobody else harmed by them. */
export function describeLimits(subject: Subject): void {
  describe('limits', () => {
    it('end a runaway at its deadline', async () => {
      const begun = performance.now();
      const error = await errorOf(read(subject.database, RUNAWAY, [], { timeoutMs: 300 }));
      expect(error.code).toBe('deadline_exceeded');
      expect(performance.now() - begun).toBeLessThan(SLACK_MS);
      expect(await answerOf(subject.database, '1')).toBe(1);
    });

    it('end a runaway whose caller is gone', async () => {
      const controller = new AbortController();
      const running = errorOf(read(subject.database, RUNAWAY, [], { signal: controller.signal }));
      await answerOf(subject.database, '1');
      const begun = performance.now();
      controller.abort();
      expect((await running).code).toBe('cancelled');
      expect(performance.now() - begun).toBeLessThan(SLACK_MS);
    });

    it('do not start what is cancelled already', async () => {
      const error = await errorOf(read(subject.database, RUNAWAY, [], { signal: AbortSignal.abort() }));
      expect(error.code).toBe('cancelled');
    });

    it('leave others alone', async () => {
      const runaways = Array.from({ length: 4 }, () =>
        errorOf(read(subject.database, RUNAWAY, [], { timeoutMs: 1500 })),
      );
      const counts = Array.from({ length: 20 }, () => answerOf(subject.database, 'count(*) FROM items'));
      expect(await Promise.all(counts)).toEqual(counts.map(() => 2000));
      const codes = (await Promise.all(runaways)).map(({ code }) => code);
      expect(codes).toEqual(runaways.map(() => 'deadline_exceeded'));
    });

    it('hold for memory, and the engine goes on', async () => {
      const small = await subject.open(subject.fixture.shop, { memoryMb: 64 });
      expect((await errorOf(read(small, HUNGRY))).code).toBe('memory_exceeded');
      expect(await answerOf(small, 'count(*) FROM items')).toBe(2000);
      await small.close();
    });
  });
}
