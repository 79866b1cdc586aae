import { describe, expect, it } from 'vitest';
import { type Generation, Leases } from '../../../../../adapters/node/reload/leases.ts';
import { withLease } from '../../../../../src/call/runtime.ts';
import { SvcError } from '../../../../../src/errors.ts';
import type { Database, LogLine } from '../../../../../src/ports.ts';
import { createFakeRuntime } from '../../../mcp/fixture.ts';

interface Named extends Generation {
  readonly name: string;
}

const NO_DATABASE = async (): Promise<Database> => {
  throw new SvcError('internal', 'no test runs a statement');
};
const { signal } = new AbortController();

function setUp() {
  const events: string[] = [];
  const lines: LogLine[] = [];
  const generation = (name: string, close = async () => void events.push(`${name} closed`)): Named => ({
    name,
    database: NO_DATABASE,
    close,
  });
  const leases = new Leases(generation('first'), (line) => lines.push(line));
  return { events, lines, generation, leases };
}

describe('requests', () => {
  // Requirements: transition.waits
  it('end on the generation that they began with, which closes after the last of them', () => {
    const { events, generation, leases } = setUp();
    const [one, two] = [leases.take(), leases.take()];
    const first = leases.current;
    expect([leases.active, leases.draining]).toEqual([2, false]);
    leases.exchange(generation('second'));
    const three = leases.take();
    expect([one.parts, two.parts, three.parts]).toEqual([first, first, leases.current]);
    expect([leases.active, leases.draining]).toEqual([3, true]);
    one.release();
    one.release();
    expect([leases.active, events]).toEqual([2, []]);
    two.release();
    expect([leases.active, leases.draining, events]).toEqual([1, false, ['first closed']]);
    three.release();
    expect(events).toEqual(['first closed']);
  });

  it('leave a generation without requests to be closed at once', () => {
    const { events, generation, leases } = setUp();
    leases.take().release();
    leases.exchange(generation('second'));
    expect([leases.current.name, leases.draining, events]).toEqual(['second', false, ['first closed']]);
  });

  it('that are cut off get the reason, and nothing waits for their work', async () => {
    const { leases } = setUp();
    const runtime = runtimeWith(leases);
    const cut = withLease(runtime, signal, () => new Promise(() => {}));
    const idle = leases.drained(60_000);
    leases.cutOff();
    await expect(cut).rejects.toThrow('The server is stopping, and the call did not end in time.');
    await idle;
    expect(leases.active).toBe(0);
  });

  it('are waited for no longer than was asked', async () => {
    const { leases } = setUp();
    const { release } = leases.take();
    await leases.drained(1);
    expect(leases.active).toBe(1);
    release();
    await leases.drained(60_000);
  });

  it('share a lease with the work inside them', async () => {
    const { leases } = setUp();
    const runtime = runtimeWith(leases);
    await withLease(runtime, signal, (outer) =>
      withLease(outer, signal, async (inner) => {
        expect(leases.active).toBe(1);
        expect(inner.lease).toBeUndefined();
      }),
    );
    expect(leases.active).toBe(0);
  });

  it('that nobody waits for take no lease', async () => {
    const { leases } = setUp();
    const runtime = runtimeWith(leases);
    await expect(withLease(runtime, AbortSignal.abort(), async () => 1)).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect(leases.active).toBe(0);
  });
});

describe('the end', () => {
  it('closes every generation, also one that requests use or that a reload brings later', async () => {
    const { events, generation, leases } = setUp();
    leases.take();
    leases.exchange(generation('second'));
    await leases.close();
    expect(events.toSorted()).toEqual(['first closed', 'second closed']);
    leases.exchange(generation('third'));
    expect([events.length, leases.current.name]).toEqual([3, 'second']);
  });

  it('comes when every generation is closed, also if the current one cannot be', async () => {
    const { events, generation, leases } = setUp();
    const [slow, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const closing = (name: string, { promise }: PromiseWithResolvers<void>) =>
      generation(name, async () => {
        await promise;
        events.push(`${name} closed`);
      });
    leases.exchange(closing('slow', slow));
    leases.exchange(
      generation('stuck', async () => {
        throw new SvcError('internal', 'it is stuck');
      }),
    );
    const end = leases.close().catch(({ message }) => events.push(message));
    leases.exchange(closing('late', late));
    await new Promise((resolve) => setImmediate(resolve));
    slow.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    late.resolve();
    await end;
    expect(events).toEqual(['first closed', 'slow closed', 'late closed', 'it is stuck']);
  });

  it('of a generation that cannot be closed is logged', async () => {
    const { lines, generation, leases } = setUp();
    leases.exchange(
      generation('second', async () => {
        throw new SvcError('internal', 'it is stuck');
      }),
    );
    leases.exchange(generation('third'));
    await leases.close();
    expect(lines).toMatchObject([{ level: 'error', message: expect.stringContaining('it is stuck') }]);
  });
});

function runtimeWith({ take }: Leases<Named>) {
  return { ...createFakeRuntime([]), lease: take };
}
