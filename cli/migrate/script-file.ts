import type { MigrationNote, Rewritten } from './rewrite.ts';

/** Variables whose names differ by more than the prefix. */
const VARIABLES: { readonly [name: string]: string } = { MXCP_DUCKDB_PATH: 'SVC_DATABASE_PATH' };

/** Replacements in scripts and in files that start servers. */
const RULES: readonly (readonly [RegExp, (found: string) => string])[] = [
  [/\bMXCP_[A-Z_]+\b/g, (name) => VARIABLES[name] ?? name.replace(/^MXCP_/, 'SVC_')],
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
  return { text: changed, notes: linesLeft(changed, file) };
}

/** Names that `svc.runtime` does not have. */
const LACKS = /\b(plugins|reload_duckdb|get_user_context|MXCPPlugin|MXCPBasePlugin|MXCPServer)\b/;

/** Rewrites a Python module. */
export function rewritePython(text: string, file: string): Rewritten {
  const changed = text.replaceAll(/\bmxcp\.runtime\b/g, 'svc.runtime');
  const notes: MigrationNote[] = changed.split('\n').flatMap((line, index) => {
    const lacking = /\bmxcp\b|svc\.runtime/.test(line) ? LACKS.exec(line)?.[1] : undefined;
    if (lacking === undefined) return [];
    return [
      { kind: 'lost' as const, file, line: index + 1, message: `svc has no \`${lacking}\` for Python.` },
    ];
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
            message: `Still mentions MXCP: ${line.trim().slice(0, 80)}`,
          },
        ]
      : [],
  );
}
