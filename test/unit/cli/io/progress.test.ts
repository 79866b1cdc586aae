import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createProgressLine } from '../../../../cli/io/progress.ts';

/** A terminal that keeps everything that was written. */
function createTerminal(isTTY = true) {
  const written: string[] = [];
  const write = (text: string) => {
    written.push(text);
    return true;
  };
  return { written, stream: { isTTY, columns: 60, write: write as NodeJS.WriteStream['write'] } };
}

const CLEARED = '\r\x1b[2K';

describe('the progress line', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Work that ends when the test says so. */
  function createWork() {
    const { promise, resolve } = Promise.withResolvers<string>();
    return { promise, end: () => resolve('done') };
  }

  // Requirements: cli.progress
  it('appears after a second, moves, and leaves nothing', async () => {
    const { written, stream } = createTerminal();
    const work = createWork();
    const ended = createProgressLine(stream).during('building', () => work.promise);
    await vi.advanceTimersByTimeAsync(999);
    expect(written).toEqual([]);
    await vi.advanceTimersByTimeAsync(2_001);
    expect(written.at(0)).toBe(`${CLEARED}[          =         ] building 1 s`);
    expect(written.at(-1)).toBe(`${CLEARED}[         =          ] building 3 s`);
    work.end();
    expect(await ended).toBe('done');
    expect(written.at(-1)).toBe(CLEARED);
    const { length } = written;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(written).toHaveLength(length);
  });

  it('shows nothing of work that ends within a second, or fails', async () => {
    const { written, stream } = createTerminal();
    const line = createProgressLine(stream);
    expect(await line.during('quick', async () => 7)).toBe(7);
    await expect(line.during('bad', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(written).toEqual([]);
  });

  it('names the step, counts, and fits the width of the terminal', async () => {
    const { written, stream } = createTerminal();
    const work = createWork();
    const ended = createProgressLine(stream).during('testing', async (say) => {
      say('tool/a\nb', 5, 20);
      const result = await work.promise;
      say(`tool/${'x'.repeat(200)}`);
      return result;
    });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(written.at(-1)).toBe(`${CLEARED}[=====               ] 5/20 testing: tool/a b 1 s`);
    await vi.advanceTimersByTimeAsync(150);
    work.end();
    await ended;
    expect(written.every((text) => text.replace(CLEARED, '').length < 60)).toBe(true);
  });

  it('gives the line to inner work, and back', async () => {
    const { written, stream } = createTerminal();
    const line = createProgressLine(stream);
    const [inner, outer] = [createWork(), createWork()];
    const ended = line.during('outer', async () => {
      await line.during('inner', () => inner.promise);
      return outer.promise;
    });
    await vi.advanceTimersByTimeAsync(1_100);
    expect(written.at(-1)).toContain('inner');
    inner.end();
    await vi.advanceTimersByTimeAsync(100);
    expect(written.at(-1)).toContain('outer');
    outer.end();
    await ended;
    expect(written.at(-1)).toBe(CLEARED);
  });

  it('makes room for other lines', async () => {
    const { written, stream } = createTerminal();
    const line = createProgressLine(stream);
    const work = createWork();
    const ended = line.during('working', () => work.promise);
    line.clear();
    expect(written).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_000);
    line.clear();
    expect(written.at(-1)).toBe(CLEARED);
    work.end();
    await ended;
    expect(written.at(-1)).toBe(CLEARED);
  });

  // Requirements: cli.progress
  it('shows nothing on a stream that is no terminal', async () => {
    const { written, stream } = createTerminal(false);
    const work = createWork();
    const ended = createProgressLine(stream).during('building', () => work.promise);
    await vi.advanceTimersByTimeAsync(60_000);
    work.end();
    expect(await ended).toBe('done');
    expect(written).toEqual([]);
  });
});
