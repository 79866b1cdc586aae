import { ERRORS, toSvcError } from '../src/errors.ts';
import { commandNameOf } from './command.ts';
import { toFileError } from './io/file-error.ts';
import { npxHint } from './io/npx-hint.ts';
import { createOutput, tolerateClosedPipes } from './io/output.ts';
import { reportError } from './io/report-error.ts';
import { createProgram, findCommand, isFinished, toUsageError } from './program.ts';
import { COMMANDS } from './table.ts';

/** The commands of the first hour. Others may be part of a script. */
const HINTED: ReadonlySet<string> = new Set(['init', 'serve', 'dev', 'run', 'test']);

/** Runs one command line and returns the exit code: 0 for ok, 1 for failed, 2 for a usage error. */
export async function main(argv: readonly string[]): Promise<number> {
  tolerateClosedPipes();
  const output = createOutput({ json: asks(argv, '--json'), debug: asks(argv, '--debug') || debugSet() });
  let code = 0;
  const program = createProgram(
    COMMANDS,
    async (command, input) => {
      const { run } = await command.load();
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
    await program.parseAsync(argv.length === 0 ? ['--help'] : [...argv], { from: 'user' });
    return code;
  } catch (thrown) {
    if (isFinished(thrown)) return 0;
    const error = toUsageError(thrown, COMMANDS, argv) ?? toFileError(thrown) ?? toSvcError(thrown);
    reportError(error, output, findCommand(COMMANDS, argv));
    return ERRORS[error.code].exit;
  }
}

/** Reads a flag before parsing, because a parse error must be reported in the same form. */
function asks(argv: readonly string[], flag: string): boolean {
  const end = argv.indexOf('--');
  return (end === -1 ? argv : argv.slice(0, end)).includes(flag);
}

function debugSet(): boolean {
  return /^(1|true|yes)$/i.test(process.env.SVC_DEBUG ?? '');
}
