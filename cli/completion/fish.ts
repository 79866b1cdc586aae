import { type Completed, type CompletedOption, GLOBAL } from './words.ts';

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
