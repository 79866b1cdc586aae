import { stripVTControlCharacters } from 'node:util';
import { ERRORS, type SvcError, toSvcError } from '../src/errors.ts';
import type { JsonObject } from '../src/json.ts';
import { toBoolean } from '../src/settings/boolean.ts';
import { type Command, commandNameOf } from './command.ts';
import { toFileError } from './io/file-error.ts';
import { toErrorText } from './io/findings.ts';
import { npxHint } from './io/npx-hint.ts';
import { createOutput, type ProcessOutput, styled, tolerateClosedPipes } from './io/output.ts';
import { createProgram, findCommand, isFinished, toUsageError } from './program.ts';
import { COMMANDS } from './table.ts';

/** The commands of the first hour. Others may be part of a script. */
const HINTED: ReadonlySet<string> = new Set(['init', 'serve', 'dev', 'run', 'test']);

/** The commands that reload at SIGHUP. Any other ends with its terminal. */
const RELOADED: ReadonlySet<string> = new Set(['serve', 'dev']);

/** Runs one command line and returns the exit code: 0 for ok, 1 for failed, 2 for a usage error. */
export async function main(argv: readonly string[]): Promise<number> {
  tolerateClosedPipes();
  const output = createOutput({ json: asks(argv, '--json'), debug: asks(argv, '--debug') || debugSet() });
  let code = 0;
  const program = createProgram(
    COMMANDS,
    async (command, input) => {
      const { run } = await command.load();
      // `svc.js` looks for the name of a command, which may be that of a profile too.
      if (!RELOADED.has(commandNameOf(command))) process.removeAllListeners('SIGHUP');
      const hint = HINTED.has(commandNameOf(command)) ? npxHint() : null;
      if (hint !== null) output.note(hint);
      const { busy } = command;
      code = await (busy === undefined
        ? run(input, output)
        : output.progress(busy, () => run(input, output)));
    },
    argv,
  );
  try {
    await program.parseAsync(argv.length === 0 ? ['--help'] : argv.map(maskComment), { from: 'user' });
    return code;
  } catch (thrown) {
    if (isFinished(thrown)) return 0;
    const error = toUsageError(thrown, COMMANDS, argv) ?? toFileError(thrown) ?? toSvcError(thrown);
    reportError(error, output, findCommand(COMMANDS, argv));
    return ERRORS[error.code].exit;
  }
}

/** Puts a blank before SQL that begins with a comment, which would count as an option. */
function maskComment(word: string): string {
  return /^--(?:\s|[^=\n]*\n)/.test(word) ? ` ${word}` : word;
}

/** Reads a flag before parsing, because a parse error must be reported in the same form. */
function asks(argv: readonly string[], flag: string): boolean {
  const end = argv.indexOf('--');
  return (end === -1 ? argv : argv.slice(0, end)).includes(flag);
}

function debugSet(): boolean {
  return toBoolean(process.env.SVC_DEBUG?.trim() ?? '') === true;
}

/**
 * Prints an error: for people on stderr, or with --json as a document on stdout unless a document is there already.
 */
export function reportError(error: SvcError, output: ProcessOutput, command?: Command): void {
  if (output.json && !output.answered) {
    output.data(toErrorDocument(error, output.debug), () => '');
    return;
  }
  const [first = '', ...rest] = toErrorText(error, process.stderr).split('\n');
  const lines = [`${styled('error', 'error:', process.stderr)} ${first}`, ...rest.map((line) => `  ${line}`)];
  const takesArguments = command?.options.some(({ flags }) => flags.startsWith('--param '));
  if (error.code === 'arguments_invalid' && takesArguments) lines.push('  Give each as --param name=value.');
  const name = command === undefined ? '' : `${commandNameOf(command)} `;
  if (error.code === 'usage') lines.push(`  Run \`svc ${name}--help\` for its arguments and options.`);
  if (output.debug) lines.push('', `code: ${error.code}`, ...stacksOf(error));
  output.note(lines.join('\n'));
}

/** Some messages were styled for a terminal, which a document does not know. */
function toErrorDocument(error: SvcError, debug: boolean): JsonObject {
  return {
    status: 'error',
    error: {
      code: error.code,
      message: stripVTControlCharacters(error.message),
      ...(error.detail ? { detail: error.detail } : {}),
      ...(debug ? { stack: stacksOf(error).map((stack) => stripVTControlCharacters(stack)) } : {}),
    },
  };
}

/** The stacks of an error and its causes. */
function stacksOf(error: Error): readonly string[] {
  const own = error.stack ?? error.message;
  if (error.cause === undefined) return [own];
  const causes = error.cause instanceof Error ? stacksOf(error.cause) : [String(error.cause)];
  return [own, ...causes.map((cause) => `caused by: ${cause}`)];
}
