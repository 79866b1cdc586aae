import type { SvcError } from '../../src/errors.ts';
import type { JsonObject } from '../../src/json.ts';
import { type Command, commandNameOf } from '../command.ts';
import { type ProcessOutput, styled } from './output.ts';

/**
 * Prints an error: for people on stderr, or with --json as a document on stdout unless a document is there already.
 */
export function reportError(error: SvcError, output: ProcessOutput, command?: Command): void {
  if (output.json && !output.answered) {
    process.stdout.write(`${JSON.stringify(toDocument(error, output.debug))}\n`);
    return;
  }
  const [first = '', ...rest] = error.message.split('\n');
  const lines = [`${styled('error', 'error:', process.stderr)} ${first}`, ...rest.map((line) => `  ${line}`)];
  const takesArguments = command?.options.some(({ flags }) => flags.startsWith('--param '));
  if (error.code === 'arguments_invalid' && takesArguments) lines.push('  Give each as --param name=value.');
  const name = command === undefined ? '' : `${commandNameOf(command)} `;
  if (error.code === 'usage') lines.push(`  Run \`svc ${name}--help\` for its arguments and options.`);
  if (output.debug) lines.push('', `code: ${error.code}`, ...stacksOf(error));
  output.note(lines.join('\n'));
}

function toDocument(error: SvcError, debug: boolean): JsonObject {
  return {
    status: 'error',
    error: {
      code: error.code,
      message: error.message,
      ...(error.detail ? { detail: error.detail } : {}),
      ...(debug ? { stack: stacksOf(error) } : {}),
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
