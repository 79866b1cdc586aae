import type { CommandInput } from './io/command-input.ts';
import type { Output } from './io/output.ts';

/** An option as commander writes it. With `repeat`, it collects every value given. */
export interface Option {
  readonly flags: string;
  readonly summary: string;
  readonly repeat?: boolean;
  /** The values that shells complete. */
  readonly values?: readonly string[];
}

/** Runs a command and returns its exit code. Errors are thrown; `main` reports them. */
export type Run = (input: CommandInput, output: Output) => Promise<number>;

/** One row of the command table. Its code is loaded only when the command runs. */
export interface Command {
  /** Name and arguments, e.g. `run <kind> <name>`. */
  readonly usage: string;
  readonly summary: string;
  readonly options: readonly Option[];
  /** The words that shells complete the first argument to. */
  readonly words?: readonly string[];
  readonly example: string;
  /**
   * What the command does, for the line that a terminal shows after a second; absent for a command that serves, asks
   * questions, or shows a line of its own.
   */
  readonly busy?: string;
  /** Whether the command passes everything after its own options to another program. */
  readonly passesOn?: boolean;
  readonly load: () => Promise<{ readonly run: Run }>;
}

/** The name of a command: the first word of its usage. */
export function commandNameOf({ usage }: Command): string {
  return usage.split(' ', 1)[0] ?? usage;
}
