import type { Command, Option } from '../command.ts';

/** A command as shells complete it. */
export interface Completed {
  readonly name: string;
  readonly summary: string;
  /** The words that its first argument may be. */
  readonly words: readonly string[];
  readonly options: readonly CompletedOption[];
}

/** An option with all its names. */
export interface CompletedOption {
  readonly names: readonly string[];
  readonly summary: string;
  /** Whether a value follows. */
  readonly valued: boolean;
  readonly values: readonly string[];
}

/** The options before the command. */
export const GLOBAL: readonly CompletedOption[] = [
  { names: ['-C', '--directory'], summary: 'run as if started in this folder', valued: true, values: [] },
  { names: ['-V', '--version'], summary: 'print the version', valued: false, values: [] },
  { names: ['-h', '--help'], summary: 'display help', valued: false, values: [] },
];

const HELP: CompletedOption = { names: ['--help'], summary: 'display help', valued: false, values: [] };

/** Converts the command table for completion. */
export function toCompleted(commands: readonly Command[]): readonly Completed[] {
  return commands.map(({ usage, summary, options, words = [] }) => ({
    name: usage.split(' ')[0] ?? '',
    summary: plain(summary),
    words,
    options: [...options.map(toOption), HELP],
  }));
}

function toOption({ flags, summary, values = [] }: Option): CompletedOption {
  const names = flags.split(/[\s,]+/).filter((word) => word.startsWith('-'));
  return { names, summary: plain(summary), valued: /[<[]/.test(flags), values };
}

/** Removes the characters that shells interpret, and line breaks. */
function plain(text: string): string {
  return text.replaceAll(/[`'"$\\]/g, '').replaceAll(/\s+/g, ' ');
}
