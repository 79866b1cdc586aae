import { SvcError } from '../src/errors.ts';
import type { Output } from './io/output.ts';

/** The arguments of a command in order, and its options by name. */
export interface CommandInput {
  readonly args: readonly (string | undefined)[];
  text(option: string): string | undefined;
  flag(option: string): boolean;
  list(option: string): readonly string[];
}

/** Gives typed access to the arguments and options that commander parsed. */
export function createInput(
  args: readonly (string | undefined)[],
  options: Readonly<Record<string, unknown>>,
): CommandInput {
  return {
    args,
    text: (option) => {
      const value = options[option];
      return typeof value === 'string' ? value : undefined;
    },
    flag: (option) => options[option] === true,
    list: (option) => {
      const value = options[option];
      return Array.isArray(value) ? value.map(String) : [];
    },
  };
}

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

/** Throws usage if `--port` is not a port. Without the option, the settings decide. */
export function checkPort(port: string | undefined): void {
  if (port === undefined || (/^\d+$/.test(port) && Number(port) <= 65_535)) return;
  throw new SvcError('usage', `--port ${port} is not a port. Give a whole number from 0 to 65535.`);
}

/** Reads an option that must be a whole number from 1 to `most`. */
export function numberOf(input: CommandInput, option: string, otherwise: number, most: number): number {
  const given = input.text(option);
  if (given === undefined) return otherwise;
  if (/^\d{1,9}$/.test(given) && Number(given) >= 1 && Number(given) <= most) return Number(given);
  throw new SvcError('usage', `--${option} ${given} is not a whole number from 1 to ${most}.`);
}
