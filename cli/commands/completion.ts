import { SvcError } from '../../src/errors.ts';
import type { Command, Option, Run } from '../command.ts';

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

/** A command as shells complete it. */
interface Completed {
  readonly name: string;
  readonly summary: string;
  /** The words that its first argument may be. */
  readonly words: readonly string[];
  readonly options: readonly CompletedOption[];
}

/** An option with all its names. */
interface CompletedOption {
  readonly names: readonly string[];
  readonly summary: string;
  /** Whether a value follows. */
  readonly valued: boolean;
  readonly values: readonly string[];
}

/** The options before the command. */
const GLOBAL: readonly CompletedOption[] = [
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

/** Writes a script that completes `svc` in bash. */
export function toBash(commands: readonly Completed[]): string {
  return `# bash completion for svc. Load it with: source <(svc completion bash)
_svc() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command='' words='' word index count=0
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    case "$command $word" in
      ${valuedPatterns(commands)})
        ((index++))
        [[ \${COMP_WORDS[index]} == '=' ]] && ((index++))
        continue ;;
    esac
    case "$word" in
      -*) ;;
      *) if [[ -z $command ]]; then command="$word"; else ((count++)); fi ;;
    esac
  done
  case "$command $previous" in
${commands.flatMap(valueCases).join('\n')}
  esac
  case "$command" in
    '') words='${[...commands.map(({ name }) => name), ...namesOf(GLOBAL)].join(' ')}' ;;
${commands.map(bashCase).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _svc svc
`;
}

/** The patterns of all options with a value, each after its command; those before the command come after none. */
function valuedPatterns(commands: readonly Completed[]): string {
  const all = [{ name: '', options: GLOBAL }, ...commands];
  return all.flatMap((one) => valuedOf(one).map((option) => patternOf(one, option))).join('|');
}

type Optioned = Pick<Completed, 'name' | 'options'>;

function valuedOf({ options }: Optioned): readonly CompletedOption[] {
  return options.filter(({ valued }) => valued);
}

function patternOf({ name }: Optioned, { names }: CompletedOption): string {
  return names.map((option) => `'${name} ${option}'`).join('|');
}

function valueCases(command: Completed): readonly string[] {
  return valuedOf(command).map((option) => {
    const { values } = option;
    // without known values, it is a file or free text
    const answer =
      values.length === 0 ? 'COMPREPLY=()' : `COMPREPLY=($(compgen -W '${values.join(' ')}' -- "$current"))`;
    return `    ${patternOf(command, option)}) ${answer}; return ;;`;
  });
}

function bashCase({ name, words, options }: Completed): string {
  const first = words.length === 0 ? '' : `((count == 0)) && words='${words.join(' ')}'; `;
  return `    ${name}) ${first}[[ $current == -* ]] && words='${namesOf(options).join(' ')}' ;;`;
}

function namesOf(options: readonly CompletedOption[]): readonly string[] {
  return options.flatMap(({ names }) => names);
}

/** Writes a script that completes `svc` in zsh. */
export function toZsh(commands: readonly Completed[]): string {
  return `#compdef svc
# zsh completion for svc. Load it with: source <(svc completion zsh), after compinit
_svc() {
  local line state
  local -a commands=(
${commands.map(({ name, summary }) => `    '${name}:${summary}'`).join('\n')}
  )
  _arguments -C \\
${GLOBAL.flatMap(specs)
  .map((spec) => `    ${spec} \\`)
  .join('\n')}
    '1: :->command' \\
    '*:: :->rest'
  case $state in
    command) _describe command commands ;;
    rest)
      case $line[1] in
${commands.map(zshCase).join('\n')}
      esac ;;
  esac
}
if [[ $funcstack[1] == _svc ]]; then _svc "$@"; else compdef _svc svc; fi
`;
}

function zshCase({ name, words, options }: Completed): string {
  const first = words.length === 0 ? [] : [`'1: :(${words.join(' ')})'`];
  const lines = [...options.flatMap(specs), ...first, "'*: :_files'"].map((spec) => `          ${spec}`);
  return `        ${name}) _arguments \\\n${lines.join(' \\\n')} ;;`;
}

function specs({ names, summary, valued, values }: CompletedOption): readonly string[] {
  const told = summary.replaceAll(/[[\]:]/g, (sign) => `\\${sign}`);
  const value = values.length > 0 ? `: :(${values.join(' ')})` : valued ? ': :_files' : '';
  return names.map((name) => `'*${name}[${told}]${value}'`);
}

/** Writes a script that completes `svc` in fish. */
export function toFish(commands: readonly Completed[]): string {
  return `# fish completion for svc. Load it with: svc completion fish | source
${GLOBAL.map((option) => optionLine(option, '__fish_use_subcommand')).join('\n')}
${commands.map(({ name, summary }) => `complete -c svc -f -n __fish_use_subcommand -a ${name} -d '${summary}'`).join('\n')}
${commands.flatMap(commandLines).join('\n')}
`;
}

function commandLines({ name, words, options }: Completed): readonly string[] {
  const within = `'__fish_seen_subcommand_from ${name}'`;
  const first = words.length === 0 ? [] : [`complete -c svc -f -n ${within} -a '${words.join(' ')}'`];
  return [...first, ...options.map((option) => optionLine(option, within))];
}

function optionLine({ names, summary, valued, values }: CompletedOption, condition: string): string {
  const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const value = values.length > 0 ? ` -x -a '${values.join(' ')}'` : valued ? ' -r' : '';
  return `complete -c svc -n ${condition} ${flags.join(' ')}${value} -d '${summary}'`;
}
