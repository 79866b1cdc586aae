import type { Finding } from '../../project/finding.ts';
import { isCredentialName } from '../../redaction/credential-names.ts';

/**
 * Credentials with recognizable forms, and their names in messages.
 * The lengths are bounded, because a file may be one long word.
 */
const KINDS: readonly (readonly [string, RegExp])[] = [
  ['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY-----/g],
  ['a JSON Web Token', /\beyJ[\w-]{10,1000}\.[\w-]{10,}\.[\w-]*/g],
  ['an AWS access key', /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g],
  ['a GitHub token', /\b(?:gh[opsur]_[A-Za-z0-9]{20,}|github_pat_\w{20,})/g],
  ['a Slack token', /\bxox[abprs]-[\w-]{10,}/g],
  ['an API key', /\bsk-[\w-]{20,}|\bsk_live_\w{16,}|\bAIza[\w-]{35}/g],
  ['an address with a password', /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@'"]+:[^\s/@'"${}]{3,}@/gi],
  ["a header's credential", /\b(?:Bearer|Basic)\s+(?=[\w.~+/=-]*\d)[\w.~+/=-]{16,}/g],
];

/** Matches `password = '…'`, `api_key: "…"`, `SECRET '…'`. */
const QUOTED = /(?<![\w-])([\w-]{1,100})["']?\s{0,20}(?::=|=>|==|[:=])?\s{0,20}(["'])([^"'\n]{8,})\2/g;
/** Matches `token: …` in YAML. */
const PLAIN = /^[ \t-]*([A-Za-z_][\w-]*):[ \t]+([^\s"'#&*{[|>$][^\s#]{7,})[ \t]*$/gm;

/** Matches `TOKEN=…` in files of environment variables and in shell scripts. In Python, a value without quotes is no text. */
const VARIABLE = /^[ \t]*(?:export[ \t]+)?([A-Z][A-Z0-9_]*)=([^\s"'`#$&*{[(|<>][^\s#()[\]]{7,})[ \t]*$/gm;

const STANDS_FOR =
  /^(?:vault|op|file|env):|^\$|\$\{|^<.*>$|^\[.*\]$|\*{3}|^x+$|example|changeme|placeholder|your[-_]/i;

/** Reports secrets that a project's file contains literally. Messages name the kind of secret and never its value. */
export function findSecrets(file: string, text: string): readonly Finding[] {
  const byLine = new Map<number, Finding>();
  let [line, start] = [1, 0];
  for (const { index, what } of found(file, text).toSorted((one, other) => one.index - other.index)) {
    for (let end = text.indexOf('\n', start); end !== -1 && end < index; end = text.indexOf('\n', start)) {
      [line, start] = [line + 1, end + 1];
    }
    if (!byLine.has(line)) byLine.set(line, toFinding(file, line, index - start + 1, what));
  }
  return [...byLine.values()];
}

interface Found {
  readonly index: number;
  readonly what: string;
}

function found(file: string, text: string): readonly Found[] {
  const known = KINDS.flatMap(([what, pattern]) =>
    [...text.matchAll(pattern)].map(({ index }) => ({ index, what })),
  );
  const quoted = [...text.matchAll(QUOTED)].map(({ index, 1: name = '', 3: value = '' }) => ({
    index,
    name,
    value,
  }));
  const plain = [...text.matchAll(PLAIN), ...(file.endsWith('.py') ? [] : text.matchAll(VARIABLE))].map(
    ({ index, 0: all, 1: name = '', 2: value = '' }) => ({
      index: index + all.indexOf(name),
      name,
      value,
    }),
  );
  const named = [...quoted, ...plain].filter(({ name, value }) => isCredentialName(name) && isSecret(value));
  return [...known, ...named.map(({ index, name }) => ({ index, what: `the value of ${name}` }))];
}

/** Real secrets have letters and digits, or are long. Placeholders are not secrets. */
function isSecret(value: string): boolean {
  if (/\s/.test(value) || STANDS_FOR.test(value)) return false;
  return /\d/.test(value) ? /[A-Za-z]/.test(value) || value.length >= 16 : value.length >= 24;
}

function toFinding(file: string, line: number, column: number, what: string): Finding {
  return {
    severity: 'error',
    code: 'literal-secret',
    file,
    line,
    column,
    message: `This looks like ${what}, and the artefact would contain it.`,
    fix: 'Remove it, and read it from a secret of the platform.',
  };
}
