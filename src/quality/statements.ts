import type { Catalog, CompiledSql } from '../catalog/model.ts';
import { SvcError } from '../errors.ts';
import type { Database } from '../ports.ts';
import type { Finding } from '../project/finding.ts';
import type { ResourceEndpoint, Source, ToolEndpoint } from '../project/model.ts';
import { type Position, positionInText } from '../project/position.ts';
import { fixOf, platformProblem, type Serving } from './platform.ts';

type Sourced = ToolEndpoint | ResourceEndpoint;

/** What says that there is no database to check against; everything else is about the statement. */
export const UNAVAILABLE: ReadonlySet<string> = new Set([
  'database_unavailable',
  'busy',
  'target_unsupported',
]);

/** Plans each endpoint's SQL with the engine that will serve it, and runs nothing; throws only where there is no database. */
export async function checkStatements(
  endpoints: readonly Sourced[],
  catalog: Catalog,
  database: Database,
  serving: Serving,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const endpoint of endpoints) {
    const entry = endpoint.kind === 'tool' ? catalog.tools[endpoint.name] : catalog.resources[endpoint.uri];
    if (entry?.source.language === 'python') continue;
    const problem = entry ? await problemOf(entry.source, database) : null;
    if (problem) findings.push(toFinding(endpoint, problem, serving));
  }
  return findings;
}

async function problemOf(source: CompiledSql, database: Database): Promise<SvcError | null> {
  try {
    await database.prepare(source.sql, source.mode);
    return null;
  } catch (thrown) {
    if (thrown instanceof SvcError && !UNAVAILABLE.has(thrown.code)) return thrown;
    throw thrown;
  }
}

function toFinding({ file, source }: Sourced, error: SvcError, serving: Serving): Finding {
  const problem = platformProblem(error, serving);
  return {
    severity: 'error',
    code: problem ? 'target-unsupported' : error.code.replaceAll('_', '-'),
    file: source.file ?? file,
    ...placeOf(source, error.message, problem?.word),
    message: problem?.message ?? told(error, serving),
    fix: problem?.fix ?? fixOf(error),
  };
}

/** On a target that was asked for, whose words these are matters. */
function told({ message }: SvcError, { platform, engine }: Serving): string {
  return platform === null ? message : `On ${platform} (${engine}): ${message}`;
}

/** Where the word is that the engine has not, or the line that it complains about; of columns it knows none after parameters became positions. */
function placeOf(source: Source, message: string, word: string | undefined): Position {
  const start = source.file === null ? { line: source.line, column: source.column } : { line: 1, column: 1 };
  if (!source.verbatim) return start;
  const offset = word === undefined ? offsetOfLine(source.text, message) : offsetOfWord(source.text, word);
  return positionInText({ ...start, verbatim: true }, source.text, Math.max(0, offset));
}

function offsetOfWord(text: string, word: string): number {
  return text.toLowerCase().indexOf(word.toLowerCase());
}

function offsetOfLine(text: string, message: string): number {
  const line = Number(/^LINE (\d+):/m.exec(message)?.[1] ?? 1);
  const lines = text.split('\n');
  const found = lines[line - 1];
  if (line === 1 || found === undefined) return 0;
  return lines.slice(0, line - 1).join('\n').length + 1 + (found.length - found.trimStart().length);
}
