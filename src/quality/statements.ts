import type { Catalog } from '../catalog/model.ts';
import { SvcError } from '../errors.ts';
import type { Database } from '../ports.ts';
import type { Finding } from '../project/finding.ts';
import type { ResourceEndpoint, Source, ToolEndpoint } from '../project/model.ts';
import { type Position, positionInText } from '../project/yaml/position.ts';
import { planWithExamples } from './example-plan.ts';
import { type ForeignCompletion, foreignCompletions, openColumns } from './hidden-columns.ts';
import { fixOf, platformIssue, type ServingPlatform } from './platform.ts';
import { missingColumns } from './required-columns.ts';

type Sourced = ToolEndpoint | ResourceEndpoint;

/** The codes of errors that concern the database; all others concern the statement. */
export const UNAVAILABLE: ReadonlySet<string> = new Set([
  'database_unavailable',
  'busy',
  'target_unsupported',
]);

interface StatementOptions {
  readonly offline?: boolean;
  readonly syntaxOnly?: boolean;
  /** Receives each endpoint before its check, with the number of checked endpoints and of all. */
  readonly onEndpoint?: (name: string, done: number, total: number) => void;
}

/**
 * Plans each endpoint's SQL with the serving engine, and with example values for its parameters, and runs nothing. With `syntaxOnly` the database may be an empty one,
 * and only errors of the parser are findings. Throws only if there is no database.
 */
export async function checkStatements(
  endpoints: readonly Sourced[],
  catalog: Catalog,
  database: Database,
  serving: ServingPlatform & StatementOptions,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const [index, endpoint] of endpoints.entries()) {
    serving.onEndpoint?.(endpoint.name, index, endpoints.length);
    const entry = endpoint.kind === 'tool' ? catalog.tools[endpoint.name] : catalog.resources[endpoint.uri];
    if (entry === undefined) continue;
    try {
      if (entry.source.language === 'sql') {
        await database.prepare(entry.source.sql, entry.source.mode);
        await planWithExamples(entry, entry.source, database);
        const { twice, absent } = await openColumns(entry, entry.source, database);
        findings.push(...twice.map((column) => toColumnTwice(endpoint, column)));
        findings.push(...absent.map((field) => toColumnAbsent(endpoint, field)));
        const missing = await missingColumns(entry, entry.source, database);
        findings.push(...missing.map((name) => toColumnMissing(endpoint, name)));
      }
      if (entry.kind === 'resource') {
        const foreign = await foreignCompletions(entry, database);
        findings.push(...foreign.map((completion) => toForeignCompletion(endpoint, completion)));
      }
    } catch (thrown) {
      const problem = problemOf(thrown);
      if (serving.syntaxOnly && !problem.message.startsWith('Parser Error')) continue;
      const away = serving.offline === true && isUnreachable(problem);
      findings.push(away ? toUnreachable(endpoint, problem) : toFinding(endpoint, problem, serving));
    }
  }
  return findings;
}

/** DuckDB's texts for a host, a store or a server that does not answer. */
const UNREACHABLE =
  /Could not (?:establish|resolve|connect)|Connection error|[Cc]onnection refused|Unable to connect|Timeout was reached|Name or service not known/;

function isUnreachable({ message }: SvcError): boolean {
  return UNREACHABLE.test(message);
}

function toUnreachable({ file, source }: Sourced, { message }: SvcError): Finding {
  return {
    severity: 'info',
    code: 'sql-not-checked',
    file: source.file ?? file,
    ...startOf(source),
    message: `The SQL was not checked: unreachable. ${message.split('\n')[0] ?? ''}`,
    fix: 'Validate again without `--offline` where the data can be reached.',
  };
}

function problemOf(thrown: unknown): SvcError {
  if (thrown instanceof SvcError && !UNAVAILABLE.has(thrown.code)) return thrown;
  throw thrown;
}

function toColumnTwice({ file, source }: Sourced, column: string): Finding {
  return {
    severity: 'error',
    code: 'column-twice',
    file: source.file ?? file,
    ...startOf(source),
    message: `The query returns two columns named ${column}. A rule hides the first; the second is visible as ${column}_1.`,
    fix: 'Select one of them, or name each with AS and hide both.',
  };
}

function toColumnAbsent({ file, source }: Sourced, field: string): Finding {
  return {
    severity: 'error',
    code: 'column-absent',
    file: source.file ?? file,
    ...startOf(source),
    message: `A rule or \`sensitive\` hides the field ${field}, but the query returns no such column, so nothing is hidden.`,
    fix: 'Write the name of the column as the query returns it (a.b for a field of a STRUCT), or remove the field.',
  };
}

function toColumnMissing({ file, source }: Sourced, name: string): Finding {
  return {
    severity: 'error',
    code: 'column-missing',
    file: source.file ?? file,
    ...startOf(source),
    message: `\`return\` requires ${name}, but the query returns no such column, so every row is refused.`,
    fix: `Select the column, name it with AS (upper and lower case count), or remove ${name} from \`required\`.`,
  };
}

function toForeignCompletion({ file }: Sourced, { parameter, column }: ForeignCompletion): Finding {
  return {
    severity: 'warning',
    code: 'completion',
    file,
    ...{ line: 0, column: 0 },
    message: `The completion of ${parameter} returns the column ${column}, which the result does not have. Rules on fields cannot tell whether its values are hidden, so callers under such a rule get none.`,
    fix: 'If the result has these values, name the column as there, with AS. The rules on it then hold here too.',
  };
}

function toFinding({ file, source }: Sourced, error: SvcError, serving: ServingPlatform): Finding {
  const problem = platformIssue(error, serving);
  return {
    severity: 'error',
    code: problem ? 'target-unsupported' : error.code.replaceAll('_', '-'),
    file: source.file ?? file,
    ...placeOf(source, error.message, problem?.word),
    message: problem?.message ?? told(error, serving),
    fix: problem?.fix ?? fixOf(error),
  };
}

/** Names the platform in the message if one was requested. */
function told({ message }: SvcError, { platform, engine }: ServingPlatform): string {
  return platform === null ? message : `On ${platform} (${engine}): ${message}`;
}

/**
 * The position of the word that the engine lacks, or of the line in its
 * message. Columns are unknown, because parameters became positions.
 */
function placeOf(source: Source, message: string, word: string | undefined): Position {
  const start = startOf(source);
  if (!source.verbatim) return start;
  const offset = word === undefined ? offsetOfLine(source.text, message) : offsetOfWord(source.text, word);
  return positionInText({ ...start, verbatim: true }, source.text, Math.max(0, offset));
}

function startOf(source: Source): Position {
  return source.file === null ? { line: source.line, column: source.column } : { line: 1, column: 1 };
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
