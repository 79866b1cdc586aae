import { CommanderError, Option as CommanderOption, Command as Program } from 'commander';
import { SvcError } from '../src/errors.ts';
import { VERSION } from '../src/version.ts';
import { type Command, type CommandInput, commandNameOf, createInput, type Option } from './command.ts';

type Start = (command: Command, input: CommandInput) => Promise<void>;

/** Makes the grammar of the command line from the table. Loads no command. */
export function createProgram(
  commands: readonly Command[],
  start: Start,
  argv: readonly string[] = [],
): Program {
  const program = new Program('svc')
    .description('Turn a folder of YAML and SQL into an MCP server.')
    .version(VERSION, '-V, --version', 'print the version')
    .option('-C, --directory <dir>', 'run as if started in this folder')
    .hook('preAction', (_program, command) => enter(command.optsWithGlobals().directory))
    .configureOutput({ writeErr: () => {} })
    .addHelpText('after', '\nExample:\n  svc init --bootstrap demo --yes && cd demo && svc serve')
    .exitOverride();
  for (const command of commands) addCommand(program, command, start);
  const asked = commandOf(argv);
  if (findCommand(commands, argv)?.passesOn) passOn(program, asked, argv[argv.indexOf(asked) + 1]);
  return program;
}

/** The command that a command line names. */
export function findCommand(commands: readonly Command[], argv: readonly string[]): Command | undefined {
  const asked = commandOf(argv);
  return commands.find((command) => commandNameOf(command) === asked);
}

/** Changes the folder. Our error names the option, which Node's error does not. */
function enter(directory: unknown): void {
  if (typeof directory !== 'string') return;
  try {
    process.chdir(directory);
  } catch (cause) {
    throw new SvcError('usage', `--directory ${directory}: there is no such folder.`, { cause });
  }
}

function addCommand(program: Program, command: Command, start: Start): void {
  const sub = program.command(command.usage).description(command.summary);
  for (const option of command.options) sub.addOption(toCommander(option));
  sub.addHelpText('after', `\nExample:\n  ${command.example}`);
  sub.action((...given: unknown[]) => {
    const args = given.slice(0, -2).flatMap((arg) => (Array.isArray(arg) ? arg.map(String) : [toText(arg)]));
    return start(command, createInput(args, sub.opts()));
  });
}

function toText(arg: unknown): string | undefined {
  return typeof arg === 'string' ? arg : undefined;
}

/** The first word that is not an option. */
function commandOf(argv: readonly string[]): string {
  const index = argv.findIndex((word, at) => !word.startsWith('-') && !isDirectory(argv[at - 1]));
  return argv[index] ?? '';
}

function isDirectory(option: string | undefined): boolean {
  return option === '-C' || option === '--directory';
}

/**
 * Lets a command pass words on. Options before the other program's first word are ours; commander only supports that
 * for the whole line.
 */
function passOn(program: Program, name: string, next: string | undefined): void {
  program.enablePositionalOptions();
  const sub = program.commands.find((command) => command.name() === name);
  sub?.passThroughOptions().allowUnknownOption();
  // commander would look for it among the other program's words
  if (next !== '--help' && next !== '-h') sub?.helpOption(false);
}

function toCommander({ flags, summary, repeat }: Option): CommanderOption {
  const option = new CommanderOption(flags, summary);
  return repeat ? option.argParser((value, before: string[] = []) => [...before, value]) : option;
}

/** Converts an error of commander; null if commander only printed help or the version. `argv` is the command line. */
export function toUsageError(
  thrown: unknown,
  commands: readonly Command[] = [],
  argv: readonly string[] = [],
): SvcError | null {
  if (!(thrown instanceof CommanderError)) return null;
  // all that commander says of `svc help` with a name that it does not know
  if (thrown.message === '(outputHelp)') return new SvcError('usage', 'There is no such command.');
  const text = thrown.message.replace(/^error: /, '').replace(/\n\((.*)\)$/, '\n$1');
  const message = `${text.charAt(0).toUpperCase()}${text.slice(1)}${longerNames(thrown, commands)}${tooMany(thrown, commands)}${exampleOf(thrown, findCommand(commands, argv))}`;
  return new SvcError('usage', message, { cause: thrown });
}

/** Suggests the commands that begin with an unknown one: `drift-check` for `drift`. Commander suggests only similar names. */
function longerNames({ code, message }: CommanderError, commands: readonly Command[]): string {
  const word = /^error: unknown command '([^']+)'$/.exec(message)?.[1];
  if (code !== 'commander.unknownCommand' || word === undefined) return '';
  const names = commands.map(commandNameOf).filter((name) => name.startsWith(`${word}-`));
  return names.length === 0 ? '' : `\nDid you mean ${names.join(' or ')}?`;
}

/** Shows a command whose arguments are not all there. */
function exampleOf({ code }: CommanderError, command: Command | undefined): string {
  return code !== 'commander.missingArgument' || command === undefined ? '' : `\nExample: ${command.example}`;
}

/** Says how arguments of an endpoint, and texts with spaces, are written. */
function tooMany({ code, message }: CommanderError, commands: readonly Command[]): string {
  const [, name, words = ''] =
    /^error: too many arguments for '([^']+)'\..*? but got \d+: (.*)\.$/s.exec(message) ?? [];
  const command = commands.find((one) => commandNameOf(one) === name);
  if (code !== 'commander.excessArguments' || command === undefined) return '';
  const argument = words.split(', ').find((word) => /^[\w.-]+=/.test(word));
  const takes = command.options.some(({ flags }) => flags.startsWith('--param '));
  if (takes && argument !== undefined) return `\nWrite --param ${argument}.`;
  return name === 'query' ? '\nPut a text with spaces in quotes.' : '';
}

/** Whether commander stopped after printing help or the version. */
export function isFinished(thrown: unknown): boolean {
  return thrown instanceof CommanderError && thrown.exitCode === 0;
}
