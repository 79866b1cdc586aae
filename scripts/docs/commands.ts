import type { Command } from '../../cli/command.ts';
import { COMMANDS } from '../../cli/table.ts';

/** Where the page stands in the repository. */
export const COMMANDS_PAGE = 'docs/reference/commands.md';

/** `docs/reference/commands.md`, from the table that `svc --help` is made of. */
export function toCommandsPage(): string {
  const list = COMMANDS.map(
    ({ usage, summary }) => `| [\`svc ${nameOf(usage)}\`](#svc-${nameOf(usage)}) | ${summary} |`,
  );
  const overview = ['| command | what it does |', '|---|---|', ...list].join('\n');
  return [INTRODUCTION, overview, '', ...COMMANDS.map(toSection)].join('\n');
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

Commands find their project in the current folder or one above it; \`svc -C <dir> <command>\` starts elsewhere.
\`--help\` explains a command, \`svc --version\` prints the version. With \`--json\` there is exactly one JSON document on stdout; whatever
else is said goes to stderr. Settings come from flags, then the environment, then files ([configuration.md](configuration.md)).

| exit code | meaning |
|---|---|
| 0 | it went well |
| 1 | it failed: an error, findings of severity \`error\`, a test that failed, drift |
| 2 | the command line was not understood ([errors.md](errors.md) has the exit code of each error) |
| 130 | \`svc serve\` was interrupted (SIGINT) |

\`svc dbt\` ends with the exit code of dbt.
`;
