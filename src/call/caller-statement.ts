import { SvcError } from '../errors.ts';
import { cutText } from '../redaction/redact.ts';
import { lexSql, tokenTexts, withPlainGaps, writtenTokens } from '../sql/lexer.ts';
import { scanParameters } from '../sql/parameters.ts';
import { calledFunction, NAMING, rejection } from '../sql/query.ts';
import { classify, statementsOf } from '../sql/statement.ts';
import { usesVariant, VARIANT_FUNCTIONS, VARIANT_REFUSED } from '../sql/variant.ts';

/** A caller's own statement, found to be one that reads. */
export interface CallerStatement {
  /** Without the comments and the `;` around it. The blanks between its tokens are ASCII. */
  readonly sql: string;
  readonly operation: string;
}

/** Functions that tell of the server, or change something although they read; the engine refuses files by itself. */
const CALLED = namesOf(
  'duckdb_(?:settings|profiling_settings|logs_parsed|databases|secrets|secret_types|extensions|logs?|log_contexts|temporary_files|memory|external_file_cache|connection_count|prepared_statements|approx_database_count|variables|optimizers)',
  'pragma_(?:database_list|database_size|storage_info|metadata_info|user_agent|platform|last_profiling_output|detailed_profiling_output)',
  'which_secret|current_setting|getenv|getvariable|nextval|setseed|(?:force_)?checkpoint',
  'glob|sniff_csv|parquet_\\w+|read_\\w+|\\w+_scan(?:_dumb)?|add_parquet_key|(?:from|get)_substrait\\w*',
  // They take states of aggregates, which are memory of the engine: DuckDB takes any bytes for one.
  'combine|finalize',
  // They show the memory behind the NULLs of a VARIANT, or make one.
  `create_sort_key|${VARIANT_FUNCTIONS}`,
  'get_request_header|get_request_headers_json|get_user_external_token',
  NAMING,
);

/** DuckDB's own strftime, past the check of its format (`GUARDED_STRFTIME` of the native engine). */
const UNGUARDED_STRFTIME = /(?:^| )"?system"? \. (?:\S+ \. )?"?strftime"? \(/i;

/** Views of the same. */
const NAMED = namesOf(
  'duckdb_(?:databases|logs|settings|secrets|extensions)|pragma_database_list|pg_settings',
);

function namesOf(...patterns: readonly string[]): RegExp {
  return new RegExp(`^"?(?:${patterns.join('|')})"?$`, 'i');
}

/** Throws sql_rejected unless a caller's SQL is one statement that reads the database's own data. */
export function enforceReadOnly(sent: string): CallerStatement {
  const text = withPlainGaps(sent);
  const { problems, names } = scanParameters(text);
  const [problem] = problems;
  if (problem !== undefined) throw refused(problem.message);
  if (names.length > 0) throw refused(`$${names[0]} has no value here: write it into the statement`);
  if (hasTextInPieces(text)) throw refused('A text continues on another line: write it in one piece');
  if (hasDollarQuotes(text))
    throw refused(
      'It has a part between dollar signs: write texts in single quotes and names in double quotes',
    );
  const [statement, second] = statementsOf(text);
  if (statement === undefined) throw refused('There is no statement');
  if (second !== undefined) throw refused('There is more than one statement: send them one at a time');
  const { mode, operation } = classify(statement.text);
  if (operation === 'OTHER') throw refused('Its kind is not known: a query begins with SELECT, WITH or FROM');
  if (mode !== 'read') throw refused(`${operation} does more than read: only queries run here`);
  if (namesSchemaOfStrftime(statement.text))
    throw refused('It names the schema of strftime: write the name alone');
  if (usesVariant(statement.text)) throw refused(VARIANT_REFUSED);
  const named = namesIn(statement.text).find((name) => NAMED.test(name));
  const beyond = named ?? calledFunction(statement.text, CALLED) ?? stateExport(statement.text);
  if (beyond !== undefined) throw rejection(beyond);
  return { sql: statement.text, operation };
}

function namesSchemaOfStrftime(sql: string): boolean {
  return /strftime/i.test(sql) && UNGUARDED_STRFTIME.test(tokenTexts(sql).join(' '));
}

/** `EXPORT_STATE` of a statement, which gives the state of an aggregate with addresses in it. Elsewhere the word is a name. */
function stateExport(sql: string): string | undefined {
  if (!/export_state/i.test(sql)) return undefined;
  return tokenTexts(sql).find((word, at, words) => /^export_state$/i.test(word) && words[at - 1] === ')');
}

/** The most characters of DuckDB's words. They may quote a text that the statement made. */
const LONGEST_REASON = 10_000;

/** DuckDB's own words about the caller's own statement. Its suggestions may name tables that are hidden from the caller. */
export function toRejected(thrown: unknown, hides: boolean): unknown {
  if (!(thrown instanceof SvcError) || thrown.code !== 'sql_failed') return thrown;
  const message = hides ? thrown.message.replace(/\nDid you mean[^\n]*/g, '') : thrown.message;
  return new SvcError('sql_rejected', cutText(message, LONGEST_REASON), { cause: thrown });
}

function refused(reason: string): SvcError {
  return new SvcError('sql_rejected', `The statement was refused. ${reason}.`);
}

/** Whether DuckDB would join texts of two lines, such as `'duckdb_'` and `'databases'`, to a name that no check sees. */
function hasTextInPieces(sql: string): boolean {
  return writtenTokens(sql).some(({ kind, text }, at, tokens) => {
    if (kind !== 'string') return false;
    const joined =
      /^e/i.test(text) &&
      text
        .slice(2, -1)
        .replace(/\\[\s\S]|''/g, '')
        .includes("'");
    return joined || tokens[at + 1]?.kind === 'string';
  });
}

/**
 * Whether a part between dollar signs is outside of quotes: `$$…$$`, or a name such as `a$$`. Whether DuckDB takes what
 * follows for a text depends on the characters before it.
 */
function hasDollarQuotes(sql: string): boolean {
  if (!sql.includes('$')) return false;
  return lexSql(sql).tokens.some(({ kind, start, end }) => {
    if (kind === 'string') return sql[start] === '$';
    return kind === 'word' && /\$.*\$/.test(sql.slice(start, end));
  });
}

/** Every name of a statement. A text is one too: `FROM 'sales'` reads the table sales. */
function namesIn(sql: string): readonly string[] {
  return lexSql(sql).tokens.flatMap(({ kind, start, end }) => {
    const token = sql.slice(start, end);
    if (kind === 'string') return [textOf(token)];
    return kind === 'word' || kind === 'quoted' ? [token] : [];
  });
}

const ESCAPE = /\\(?:x([\dA-Fa-f]{1,2})|u([\dA-Fa-f]{4})|U([\dA-Fa-f]{8})|([0-7]{1,3})|([\s\S]))/g;

/** The content of a text, without escapes. */
function textOf(token: string): string {
  if (token.startsWith("'")) return token.slice(1, -1);
  return token.slice(2, -1).replace(ESCAPE, (_, byte, short, long, octal, plain) => {
    if (plain !== undefined) return plain;
    const code = Number.parseInt(octal ?? byte ?? short ?? long, octal === undefined ? 16 : 8);
    return code <= 0x10ffff ? String.fromCodePoint(code) : '';
  });
}
