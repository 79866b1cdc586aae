import type { CommandInput } from './io/command-input.ts';
import type { Output } from './io/output.ts';

/** An option as commander writes it; `repeat` collects every value given. */
export interface Option {
  readonly flags: string;
  readonly summary: string;
  readonly repeat?: boolean;
  /** The values that shells complete. */
  readonly values?: readonly string[];
}

/** Runs a command and returns its exit code, which is another's only where it runs another; whatever it throws is reported by main. */
export type Run = (input: CommandInput, output: Output) => Promise<number>;

/** One row of the command table; its code is loaded only when it is asked for. */
export interface Command {
  /** Name and arguments, e.g. `run <kind> <name>`. */
  readonly usage: string;
  readonly summary: string;
  readonly options: readonly Option[];
  /** What shells complete the first argument to. */
  readonly words?: readonly string[];
  readonly example: string;
  /** Whether everything after its own options belongs to the program that it starts. */
  readonly passesOn?: boolean;
  readonly load: () => Promise<{ readonly run: Run }>;
}

/** A command's name, which its usage begins with. */
export function commandNameOf({ usage }: Command): string {
  return usage.split(' ', 1)[0] ?? usage;
}
