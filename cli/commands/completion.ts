import { SvcError } from '../../src/errors.ts';
import type { Command, Run } from '../command.ts';
import { toBash } from '../completion/bash.ts';
import { toFish } from '../completion/fish.ts';
import { type Completed, toCompleted } from '../completion/words.ts';
import { toZsh } from '../completion/zsh.ts';

const SCRIPTS: Readonly<Record<string, (commands: readonly Completed[]) => string>> = {
  bash: toBash,
  zsh: toZsh,
  fish: toFish,
};

/** `svc completion <shell>`: prints a script that completes every command and option of the table. */
export function completionOf(commands: readonly Command[]): Run {
  return async (input, output) => {
    const [shell = ''] = input.args;
    const toScript = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
    if (toScript === undefined) {
      throw new SvcError(
        'usage',
        `${shell} is not a shell that svc knows. Choose ${Object.keys(SCRIPTS).join(', ')}.`,
      );
    }
    const script = toScript(toCompleted(commands));
    output.data({ status: 'ok', shell, script }, () => script.trimEnd());
    return 0;
  };
}
