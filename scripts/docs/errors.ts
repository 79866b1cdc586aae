import { ANSWERED, ERRORS, type ErrorCode } from '../../src/errors.ts';
import { ADVICE, type Advice } from './errors/codes.ts';
import { FINDINGS } from './errors/findings.ts';

/** The path of the page in the repository. */
export const ERRORS_PAGE = 'docs/reference/errors.md';

/** `docs/reference/errors.md`: every error code and every code of a finding. */
export function toErrorsPage(): string {
  const codes = Object.keys(ERRORS).map((code) => toErrorRow(code as ErrorCode));
  const sections = Object.entries(FINDINGS).map(([name, findings]) => {
    const rows = Object.entries(findings).map(([code, advice]) => row(`\`${code}\``, advice.why, advice.fix));
    return `### ${name}\n\n${[row('code', 'cause', 'fix'), '|---|---|---|', ...rows].join('\n')}\n`;
  });
  const head = [
    row('code', 'HTTP', 'JSON-RPC', 'exit', 'text for clients', 'cause', 'fix'),
    '|---|---|---|---|---|---|---|',
  ];
  return [INTRODUCTION, [...head, ...codes].join('\n'), FINDINGS_INTRODUCTION, ...sections].join('\n');
}

function toErrorRow(code: ErrorCode): string {
  const { http, rpc, exit, shown, public: text } = ERRORS[code];
  const { why, fix }: Advice = ADVICE[code];
  return row(`\`${code}\``, http, rpc, exit, shown ? 'the message' : text, why, fix);
}

function row(...cells: readonly (string | number)[]): string {
  return `| ${cells.join(' | ')} |`;
}

const INTRODUCTION = `<!-- Written by \`npx node scripts/docs/write.ts\` from the code; do not edit. -->
# Errors

An error message names the problem, its place, its cause and its fix. Each error has a stable code that programs can rely on.

- **Command line.** With \`--json\`, \`svc\` prints \`{"status": "error", "error": {"code", "message", "detail"}}\`. It exits with the
  exit code below.
- **HTTP.** The code is \`error\` in the body. OAuth routes use the codes of OAuth, and the admin API has five codes of its own.
- **JSON-RPC.** The error has the number below. A tool that fails or is
  denied returns a result with \`isError: true\` and HTTP status ${ANSWERED}, not a protocol error.

A client gets either the message or a fixed text with an id. In the second case, the log has the message under that id.

## Error codes
`;

const FINDINGS_INTRODUCTION = `
## Findings

\`svc validate\`, \`svc lint\`, \`svc config\`, \`svc build\` and every other command that loads a project report findings. A finding
has a severity, code, file, line, column, message and fix. A command with errors exits with 1; warnings do not change the exit
code. For a disabled endpoint, every finding is a warning.
`;
