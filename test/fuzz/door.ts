/** A place where bytes of somebody else come in. */
export interface Door {
  readonly name: string;
  /** What holds for any input, in a sentence. */
  readonly promise: string;
  /** Well-formed inputs, from which others are made. `test/fuzz/corpus/<name>` holds more. */
  readonly seeds: readonly string[];
  /** Pieces of the door's language. */
  readonly words: readonly string[];
  /** The number of inputs in CI, which takes some seconds. */
  readonly quick: number;
  /** Prepares whatever all inputs share. */
  readonly open: () => Promise<OpenDoor>;
}

/** A door that takes inputs. */
export interface OpenDoor {
  /** Gives it one input. Throws `BrokenPromise`, or any other error of the code behind it. */
  ask(input: Uint8Array): Promise<void>;
  close?(): Promise<void>;
}

/** Something that must hold for any input does not. */
export class BrokenPromise extends Error {}

export function enforce(kept: boolean, promise: string): asserts kept {
  if (!kept) throw new BrokenPromise(promise);
}

const decoder = new TextDecoder();

/** The input as text: a byte that is no UTF-8 is a replacement character. */
export const toText = (input: Uint8Array): string => decoder.decode(input);
