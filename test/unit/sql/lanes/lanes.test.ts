import { describe, expect, it } from 'vitest';
import { type Lane, Lanes } from '../../../../src/sql/lanes/lanes.ts';

interface Recorded extends Lane {
  readonly name: string;
}

function setUp(most = 2) {
  const closed: string[] = [];
  const lanes = new Lanes<Recorded>(most);
  const laneOf = (name: string): Recorded => ({ name, close: () => closed.push(name) });
  const keep = (sql: string, name: string): void => {
    lanes.prove(sql, 0, lanes.generation);
    lanes.leave(sql, laneOf(name), lanes.generation);
  };
  return { closed, lanes, laneOf, keep };
}

describe('Lanes', () => {
  it('gives a statement no lane before it is proven, and none with other parameters', () => {
    const { lanes } = setUp();
    expect(lanes.enter('a', 1)).toBeNull();
    lanes.prove('a', 1, lanes.generation);
    expect(lanes.enter('a', 1)).toMatchObject({ lane: null });
    expect(lanes.enter('a', 2)).toBeNull();
    expect(lanes.enter('b', 1)).toBeNull();
  });

  it('gives a lane to one call at a time, and to its own statement only', () => {
    const { lanes, keep } = setUp();
    keep('a', 'first');
    lanes.prove('b', 0, lanes.generation);
    expect(lanes.enter('b', 0)?.lane).toBeNull();
    expect(lanes.enter('a', 0)?.lane?.name).toBe('first');
    expect(lanes.enter('a', 0)?.lane).toBeNull();
  });

  it('closes the lane used longest ago when too many are idle', () => {
    const { lanes, closed, keep } = setUp(2);
    for (const name of ['a', 'b', 'c']) keep(name, name);
    expect(closed).toEqual(['a']);
    expect(lanes.idle).toBe(2);
  });

  it('closes the lanes of a statement whose proof is withdrawn', () => {
    const { lanes, closed, keep } = setUp();
    keep('a', 'a');
    keep('b', 'b');
    lanes.disprove('a');
    expect(closed).toEqual(['a']);
    expect(lanes.enter('a', 0)).toBeNull();
    expect(lanes.enter('b', 0)?.lane?.name).toBe('b');
  });

  it('proves a statement no more after its proof was withdrawn, until definitions change', () => {
    const { lanes } = setUp();
    lanes.disprove('a');
    lanes.prove('a', 0, lanes.generation);
    expect(lanes.enter('a', 0)).toBeNull();
    lanes.clear();
    lanes.prove('a', 0, lanes.generation);
    expect(lanes.enter('a', 0)).not.toBeNull();
  });

  it('keeps nothing across a change of definitions', async () => {
    const { lanes, closed, keep, laneOf } = setUp();
    keep('a', 'idle');
    lanes.prove('b', 0, lanes.generation);
    const inUse = lanes.enter('b', 0);
    const before = lanes.generation;
    const during = await lanes.change(async () => {
      lanes.prove('c', 0, lanes.generation);
      return [lanes.enter('a', 0), lanes.enter('c', 0)];
    });
    expect(during).toEqual([null, null]);
    lanes.leave('b', laneOf('in use'), inUse?.generation ?? before);
    lanes.prove('d', 0, before);
    expect(closed).toEqual(['idle', 'in use']);
    for (const sql of ['a', 'b', 'c', 'd']) expect(lanes.enter(sql, 0)).toBeNull();
  });

  it('keeps nothing across a change that failed', async () => {
    const { lanes, keep } = setUp();
    keep('a', 'a');
    await expect(lanes.change(() => Promise.reject(new Error('no table')))).rejects.toThrow('no table');
    expect(lanes.enter('a', 0)).toBeNull();
    keep('a', 'a');
    expect(lanes.enter('a', 0)?.lane?.name).toBe('a');
  });

  it('forgets the oldest proofs of very many statements', () => {
    const { lanes } = setUp();
    for (let number = 0; number <= 1_000; number += 1) lanes.prove(`${number}`, 0, lanes.generation);
    expect(lanes.enter('0', 0)).toBeNull();
    expect(lanes.enter('1', 0)).not.toBeNull();
  });
});
