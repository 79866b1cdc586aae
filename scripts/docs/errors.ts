import { ERRORS, type ErrorCode } from '../../src/errors.ts';
import { ADVICE, type Advice } from './errors/codes.ts';
import { FINDINGS } from './errors/findings.ts';

/** Where the page stands in the repository. */
export const ERRORS_PAGE = 'docs/reference/errors.md';

/** `docs/reference/errors.md`: every error code and every code of a finding. */
export function toErrorsPage(): string {
  const codes = Object.keys(ERRORS).map((code) => toErrorRow(code as ErrorCode));
  const sections = Object.entries(FINDINGS).map(([name, findings]) => {
    const rows = Object.entries(findings).map(([code, advice]) => row(`\`${code}\``, advice.why, advice.fix));
    return `### ${name}\n\n${[row('code', 'what and why', 'fix'), '|---|---|---|', ...rows].join('\n')}\n`;
  });
  const head = [
    row('code', 'HTTP', 'JSON-RPC', 'exit', 'what a client reads', 'why', 'fix'),
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

A message says what is wrong, where, why, and what to do. Its code is stable: programs decide by it. The command line prints
\`{"status": "error", "error": {"code", "message", "detail"}}\` with \`--json\`, and ends with the exit code; over HTTP the code is
\`error\` in the body (OAuth endpoints use the codes of OAuth, the admin API five of its own), and in JSON-RPC the number below.
Where a client does not get the message itself, it gets the fixed text and an id, and the log has the message under that id.
A tool that fails is a result with \`isError: true\`, not an error of the protocol.

## Error codes
`;

const FINDINGS_INTRODUCTION = `
## Findings

\`svc validate\`, \`svc lint\`, \`svc config\`, \`svc build\` and whatever else loads a project tell findings: severity, code, file, line,
column, message and fix. Errors end a command with 1; warnings do not. Of an endpoint that is disabled, everything is a warning.
`;
