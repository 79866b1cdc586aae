import fc from 'fast-check';
import { cpuMs } from '../unit/cpu.ts';
import { BrokenPromise, type Door } from './door.ts';
import { inputsOf, startsOf } from './mutate.ts';

/** Processor time that one input may take; most take less than a thousandth of it. */
const MOST_CPU_MS = 5_000;

export interface Knocks {
  readonly inputs: number;
  /** The processor time of the slowest input, in milliseconds. */
  readonly slowest: number;
}

/** How long a door is tried: for some milliseconds, or with so many inputs. */
export type Patience = { readonly ms: number } | { readonly inputs: number };

/** An input that broke a promise, reduced to what is needed. */
export class Found extends Error {
  readonly input: Uint8Array;

  constructor(message: string, input: Uint8Array, cause: unknown) {
    super(message, { cause });
    this.input = input;
  }
}

/**
 * Gives a door its seeds and its corpus as they are, then inputs that are made from them. Throws `Found` for the first that
 * breaks the door's promise. The same seed gives the same inputs.
 */
export async function knock(door: Door, seed: number, patience: Patience): Promise<Knocks> {
  const opened = await door.open();
  let [inputs, slowest] = [0, 0];
  const ask = async (input: Uint8Array) => {
    inputs += 1;
    const begun = cpuMs();
    await opened.ask(input);
    const taken = cpuMs() - begun;
    slowest = Math.max(slowest, taken);
    if (taken > MOST_CPU_MS) throw new BrokenPromise(`it took ${Math.round(taken)} ms of processor time`);
  };
  const limits =
    'ms' in patience
      ? { numRuns: 1_000_000_000, interruptAfterTimeLimit: patience.ms, markInterruptAsFailure: false }
      : { numRuns: patience.inputs };
  try {
    const { failed, counterexample, errorInstance } = await fc.check(fc.asyncProperty(inputsOf(door), ask), {
      ...limits,
      seed,
      examples: startsOf(door).map((start): [Uint8Array] => [new Uint8Array(start)]),
    });
    const [input = new Uint8Array()] = counterexample ?? [];
    if (failed) throw new Found(toReport(door, seed, input, errorInstance), input, errorInstance);
  } finally {
    await opened.close?.();
  }
  return { inputs, slowest };
}

/** What was given to which door, in a form that a test can repeat. */
function toReport({ name }: Door, seed: number, input: Uint8Array, thrown: unknown): string {
  const bytes = Buffer.from(input);
  const text = bytes.toString('utf8');
  const shown = Buffer.from(text).equals(bytes) ? JSON.stringify(text) : `base64 ${bytes.toString('base64')}`;
  const why = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return `the door ${name} (seed ${seed}) given ${shown}: ${why}`;
}
