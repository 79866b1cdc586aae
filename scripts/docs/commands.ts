import type { Command } from '../../cli/command.ts';

/** The path of the page in the repository. */
export const COMMANDS_PAGE = 'docs/reference/commands.md';

/** `docs/reference/commands.md`, from the table that `svc --help` is made of. */
export function toCommandsPage(commands: readonly Command[]): string {
  const list = commands.map(
    ({ usage, summary }) => `| [\`svc ${nameOf(usage)}\`](#svc-${nameOf(usage)}) | ${summary} |`,
  );
  const overview = ['| command | what it does |', '|---|---|', ...list].join('\n');
  return [INTRODUCTION, overview, '', ...commands.map(toSection)].join('\n');
}

function toSection({ usage, summary, options, example }: Command): string {
  const rows = options.map(({ flags, summary: text, repeat }) => {
    const often = repeat && !/repeatable/.test(text) ? '; repeatable' : '';
    return `| \`${flags}\` | ${text}${often} |`;
  });
  const sentence = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
  return [
    `## svc ${nameOf(usage)}\n`,
    `${sentence}\n`,
    `    svc ${usage}${options.length > 0 ? ' [options]' : ''}\n`,
    ...(rows.length > 0 ? ['| option | meaning |', '|---|---|', ...rows, ''] : []),
    `\`\`\`sh\n${example}\n\`\`\`\n`,
  ].join('\n');
}

function nameOf(usage: string): string {
  return usage.split(' ')[0] ?? usage;
}

const INTRODUCTION = `<!-- Written by \`npx node scripts/docs/write.ts\` from the table of commands; do not edit. -->
# Commands

A command looks for its project in the current folder and then in the folders above it. \`svc -C <dir> <command>\` starts in
another folder. \`--help\` explains a command, and \`svc --version\` prints the version. With \`--json\`, stdout has exactly one
JSON document, and all other output goes to stderr. Settings come from flags, then the environment, then files
([configuration.md](configuration.md)).

| exit code | meaning |
|---|---|
| 0 | success |
| 1 | failure: an error, findings of severity \`error\`, a failed test, drift |
| 2 | invalid command line |
| 130 | \`svc serve\`, \`svc dev\` or \`svc admin --web\` was interrupted (SIGINT) |

[errors.md](errors.md) has the exit code of each error. \`svc dbt\` exits with the exit code of dbt.
`;
