import { type Completed, type CompletedOption, GLOBAL } from './words.ts';

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
${commands.map(commandCase).join('\n')}
      esac ;;
  esac
}
if [[ $funcstack[1] == _svc ]]; then _svc "$@"; else compdef _svc svc; fi
`;
}

function commandCase({ name, words, options }: Completed): string {
  const first = words.length === 0 ? [] : [`'1: :(${words.join(' ')})'`];
  const lines = [...options.flatMap(specs), ...first, "'*: :_files'"].map((spec) => `          ${spec}`);
  return `        ${name}) _arguments \\\n${lines.join(' \\\n')} ;;`;
}

function specs({ names, summary, valued, values }: CompletedOption): readonly string[] {
  const told = summary.replaceAll(/[[\]:]/g, (sign) => `\\${sign}`);
  const value = values.length > 0 ? `: :(${values.join(' ')})` : valued ? ': :_files' : '';
  return names.map((name) => `'*${name}[${told}]${value}'`);
}
