import { isCredentialName, withoutCredentials } from '../../src/redaction/credential-names.ts';
import { REDACTED } from '../../src/redaction/hidden-texts.ts';
import { VARIABLES as VARIABLES_OF_SVC } from '../../src/settings/variables.ts';
import type { MigrationNote, Rewritten } from './rewrite.ts';

/** Variables whose names differ by more than the prefix. */
const VARIABLES: { readonly [name: string]: string } = { MXCP_DUCKDB_PATH: 'SVC_DATABASE_PATH' };

/** A variable that svc does not have keeps its name, because other files may refer to it. */
function renameVariable(name: string): string {
  const renamed = VARIABLES[name] ?? name.replace(/^MXCP_/, 'SVC_');
  return KNOWN_VARIABLES.has(renamed) ? renamed : name;
}

const KNOWN_VARIABLES: ReadonlySet<string> = new Set(VARIABLES_OF_SVC.map(({ name }) => name));

/** Replacements in scripts and in files that start servers. */
const RULES: readonly (readonly [RegExp, (found: string) => string])[] = [
  [/\bMXCP_[A-Z\d_]+\b/g, renameVariable],
  [/\bmxcp-site\.yml\b/g, () => 'svc-site.yml'],
  [/(?<=[~/])\.mxcp(?=\/)/g, () => '.svc'],
  [/(?<=\/run\/)mxcp\/mxcp\.sock/g, () => 'svc/svc.sock'],
  [
    /\bmxcp(?=(?:["'],\s*["']|\s+)(?:init|serve|run|query|list|validate|test|lint|evals|drift-\w+|log|log-cleanup|dbt|dbt-config)\b)/g,
    () => 'svc',
  ],
  [/(?<="command":\s*")mxcp(?=")/g, () => 'svc'],
  [/(?<=\bsvc\b[^\n]*)--json-output\b/g, () => '--json'],
];

/** Rewrites a script or a settings file of another program. */
export function rewriteText(text: string, file: string): Rewritten {
  const changed = RULES.reduce((left, [pattern, put]) => left.replaceAll(pattern, put), text);
  const unknown = unknownNames(changed, file);
  const told = new Set(unknown.map(({ line }) => line));
  const notes = [...linesLeft(changed, file).filter(({ line }) => !told.has(line)), ...unknown];
  return { text: changed, notes: notes.toSorted((one, other) => one.line - other.line) };
}

/** Options of MXCP's commands that svc does not have, with their replacements. */
const REPLACED: Readonly<Record<string, string>> = {
  '--readonly': 'Set `database.readonly: true` in svc-site.yml, or SVC_READONLY=true.',
  '--sql-tools': 'Set `sql_tools.enabled` in svc-site.yml.',
  '--ignore-errors': 'Remove it: svc serves the sound endpoints and logs the others.',
  '--request-headers': 'Remove it: headers exist in calls over HTTP only.',
  '--dry-run': 'Leave the command out, because it wrote nothing.',
  '--debug': 'Remove it.',
  '--force': 'Remove it.',
  '--embed-secrets': 'Remove it: svc writes references to secrets only.',
  '--transport': 'Set `transport.provider` in the user file.',
};

/** The options of MXCP 0.12 that svc does not have, by command. */
export const GONE_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  init: ['--transport'],
  serve: ['--readonly', '--sql-tools', '--ignore-errors'],
  run: ['--readonly', '--request-headers'],
  query: ['--readonly'],
  validate: ['--readonly'],
  test: ['--readonly', '--request-headers'],
  'drift-check': ['--readonly'],
  'drift-snapshot': ['--dry-run', '--force'],
  dbt: ['--debug'],
  'dbt-config': ['--embed-secrets'],
};

/** Names every variable and option that svc does not have, at its line. */
function unknownNames(text: string, file: string): readonly MigrationNote[] {
  return text.split('\n').flatMap((content, index) => {
    const variables = [...new Set(content.match(/\bMXCP_[A-Z\d_]+\b/g))];
    const messages = [
      ...variables.map((name) => `svc reads no variable ${name}, so it keeps its name.`),
      ...unknownOptions(content),
    ];
    return messages.map((message) => ({ kind: 'lost' as const, file, line: index + 1, message }));
  });
}

/** A command line of svc, up to the end of the command, also as a list of quoted words. */
const COMMAND_LINE = /\bsvc(?:["'],\s*["']|\s+)([a-z][a-z-]*)([^\n;|&]*)/g;

function unknownOptions(line: string): readonly string[] {
  return Array.from(line.matchAll(COMMAND_LINE)).flatMap(([, name = '', rest = '']) => {
    const gone = Object.hasOwn(GONE_OPTIONS, name) ? (GONE_OPTIONS[name] ?? []) : [];
    const given = new Set(rest.match(/(?<![\w-])--[a-z][a-z-]*/g));
    return gone
      .filter((option) => given.has(option))
      .map((option) => `\`svc ${name}\` has no option ${option}. ${REPLACED[option] ?? ''}`);
  });
}

/** Names that `svc.runtime` does not have. */
const LACKS = /\b(plugins|reload_duckdb|get_user_context|MXCPPlugin|MXCPBasePlugin|MXCPServer)\b/g;

/** Rewrites a Python module. */
export function rewritePython(text: string, file: string): Rewritten {
  const changed = text.replaceAll(/\bmxcp\.runtime\b/g, 'svc.runtime');
  const notes: MigrationNote[] = changed.split('\n').flatMap((line, index) => {
    const lacking = /\bmxcp\b|svc\.runtime/.test(line) ? line.match(LACKS) : null;
    return [...new Set(lacking)].map((name) => ({
      kind: 'lost' as const,
      file,
      line: index + 1,
      message: `svc has no \`${name}\` for Python.`,
    }));
  });
  const told = new Set(notes.map(({ line }) => line));
  const left = linesLeft(changed, file).filter(({ line }) => !told.has(line));
  return { text: changed, notes: [...notes, ...left] };
}

function linesLeft(text: string, file: string): readonly MigrationNote[] {
  return text.split('\n').flatMap((line, index) =>
    /mxcp/i.test(line)
      ? [
          {
            kind: 'check' as const,
            file,
            line: index + 1,
            message: `Still mentions MXCP: ${shown(line).slice(0, 80)}`,
          },
        ]
      : [],
  );
}

/** A line for people, without the credentials that scripts and settings files hold. */
function shown(line: string): string {
  const [, start = '', name = ''] = /^\s*((?:export\s+|-\s+)?["']?([\w.-]+)["']?\s*[:=]\s*)/.exec(line) ?? [];
  const bare = isCredentialName(name) ? `${start}${REDACTED}` : line;
  return withoutCredentials(bare, REDACTED).trim();
}
