import { describe, expect, it } from 'vitest';
import { guarded } from '../../../../../adapters/duckdb-wasm/functions/scalar-function.ts';
import { SvcError } from '../../../../../src/errors.ts';

describe('a callback of the engine', () => {
  const outcomeOf = (thrown: unknown) =>
    guarded(
      () => {
        throw thrown;
      },
      (message) => `told: ${message}`,
    );

  it('tells DuckDB of an error', () => {
    expect(outcomeOf(new SvcError('sql_failed', 'No such path.'))).toBe('told: No such path.');
  });

  it('lets a trap through, because the engine is in an unknown state and must be replaced', () => {
    const trap = new WebAssembly.RuntimeError('memory access out of bounds');
    expect(() => outcomeOf(trap)).toThrow(trap);
  });
});
