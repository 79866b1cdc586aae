import { type Completed, type CompletedOption, GLOBAL } from './words.ts';

/** Writes a script that completes `svc` in bash. */
export function toBash(commands: readonly Completed[]): string {
  return `# bash completion for svc. Load it with: source <(svc completion bash)
_svc() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command='' words='' index count=0
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "\${COMP_WORDS[index]}" in
      -C|--directory) ((index++)) ;;
      -*) ;;
      *) if [[ -z $command ]]; then command="\${COMP_WORDS[index]}"; else ((count++)); fi ;;
    esac
  done
  case "$command $previous" in
${commands.flatMap(valueCases).join('\n')}
  esac
  case "$command" in
    '') words='${[...commands.map(({ name }) => name), ...namesOf(GLOBAL)].join(' ')}' ;;
${commands.map(commandCase).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _svc svc
`;
}

function valueCases({ name, options }: Completed): readonly string[] {
  const valued = options.filter((option) => option.valued);
  return valued.map(({ names, values }) => {
    const patterns = names.map((option) => `'${name} ${option}'`).join('|');
    // without known values it is a file or a word of one's own
    const answer =
      values.length === 0 ? 'COMPREPLY=()' : `COMPREPLY=($(compgen -W '${values.join(' ')}' -- "$current"))`;
    return `    ${patterns}) ${answer}; return ;;`;
  });
}

function commandCase({ name, words, options }: Completed): string {
  const first = words.length === 0 ? '' : `((count == 0)) && words='${words.join(' ')}'; `;
  return `    ${name}) ${first}[[ $current == -* ]] && words='${namesOf(options).join(' ')}' ;;`;
}

function namesOf(options: readonly CompletedOption[]): readonly string[] {
  return options.flatMap(({ names }) => names);
}
