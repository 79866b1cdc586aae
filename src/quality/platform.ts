import type { SvcError } from '../errors.ts';
import type { Database } from '../ports.ts';
import type { Finding } from '../project/finding.ts';
import { type Positions, positionAt } from '../project/position.ts';
import { SITE_NAME } from '../project/site.ts';
import type { Extension } from '../project/site-model.ts';

/** What will serve: the engine, and the platform where one was asked for. */
export interface Serving {
  readonly platform: string | null;
  readonly engine: Database['engine'];
}

/** What is missing there, and what to do about it. */
export interface PlatformProblem {
  readonly message: string;
  readonly fix: string;
  /** The word of the statement that stands for it, where the engine says. */
  readonly word?: string;
}

const ELSEWHERE = 'or serve the project with `svc serve` and `engine: native` for the database.';
const IN_EXTENSION =
  /^\w+ Error: (\w+)(?: Function)? with name "([^"]+)" is not in the catalog, but it exists in the (\w+) extension/;
const NEEDS_EXTENSION = /required extension '(\w+)'/;

/** What of a statement the platform has not, where DuckDB's message says so; null for an error of the statement's own. */
export function platformProblem(error: SvcError, serving: Serving): PlatformProblem | null {
  if (error.code === 'database_readonly' && serving.engine === 'duckdb-wasm') {
    return {
      message: `The statement writes, and databases are read-only on ${nameOf(serving)}.`,
      fix: `Write it as one SELECT, set \`enabled: false\` for the endpoint, ${ELSEWHERE}`,
    };
  }
  const [, kind, name, extension] = IN_EXTENSION.exec(error.message) ?? [];
  if (kind && name && extension) {
    const what = `the ${nounOf(kind)} ${name}, which is in DuckDB's extension ${extension}`;
    return { ...lacks(what, serving), word: name };
  }
  const needed = NEEDS_EXTENSION.exec(error.message)?.[1];
  return needed ? lacks(`DuckDB's extension ${needed}, which the statement needs`, serving) : null;
}

/** Extensions of the site file that the engine cannot load. */
export function checkExtensions(
  extensions: readonly Extension[],
  serving: Serving,
  positions: Positions,
): readonly Finding[] {
  if (serving.engine === 'duckdb-native') return [];
  return extensions.map(({ name }, index) => ({
    severity: 'error',
    code: 'target-unsupported',
    file: SITE_NAME,
    ...positionAt(positions, ['extensions', index]),
    message: `The extension ${name} cannot be loaded on ${nameOf(serving)}.`,
    fix: `Remove it from \`extensions\`, ${ELSEWHERE}`,
  }));
}

/** What to do about an error of the statement's own. */
export function fixOf({ code }: SvcError): string {
  return code === 'database_readonly'
    ? 'Set `readonly: false` for the database of the profile, or write the endpoint as one SELECT.'
    : 'Correct the SQL, or the database that it is meant for.';
}

function lacks(what: string, serving: Serving): PlatformProblem {
  return {
    message: `${nameOf(serving)} has not ${what}.`,
    fix:
      serving.engine === 'duckdb-wasm'
        ? `Write the SQL without it, ${ELSEWHERE}`
        : 'Name the extension under `extensions` in svc-site.yml, or write the SQL without it.',
  };
}

function nounOf(kind: string): string {
  return /^(Scalar|Table|Aggregate|Macro|Window|Pragma|Function)$/.test(kind)
    ? 'function'
    : kind.toLowerCase();
}

function nameOf({ platform, engine }: Serving): string {
  return platform === null ? engine : `${platform} (${engine})`;
}
