import { SvcError } from '../errors.ts';
import { nearestName } from '../types/nearest.ts';
import { hasUnicodeBlank, lexSql, type SqlToken } from './lexer.ts';

/** One statement of a SQL text, without surrounding comments and blanks. */
export interface SqlStatement {
  readonly text: string;
  /** Its offset in the whole text. */
  readonly offset: number;
}

/**
 * The effect of a statement: it reads, writes rows, changes
 * definitions, or does anything else (settings, files, transactions).
 */
export type StatementClass = 'read' | 'write' | 'ddl' | 'other';

export interface Classification {
  /** `read` only if the engine can run the statement as a query that cannot write. */
  readonly mode: 'read' | 'write';
  /** The main verb, such as `SELECT` or `INSERT`. `OTHER` stands for an unknown verb, `EMPTY` for a missing statement. */
  readonly operation: string;
  readonly class: StatementClass;
}

/** A token reduced to its role in a statement: a word in upper case, a bracket, or other text. */
type Piece = string;

const WEIGHTS: { readonly [name in StatementClass]: number } = { read: 0, write: 1, ddl: 2, other: 3 };
const READS = 'SELECT FROM VALUES TABLE DESCRIBE DESC SHOW SUMMARIZE PIVOT PIVOT_WIDER UNPIVOT PIVOT_LONGER';
const WRITES = 'INSERT UPDATE DELETE MERGE TRUNCATE';
const DEFINES = 'CREATE DROP ALTER COMMENT';
const OTHERS =
  'PRAGMA SET RESET ATTACH DETACH USE COPY EXPORT IMPORT INSTALL LOAD CALL CHECKPOINT FORCE VACUUM ANALYZE ANALYSE BEGIN START COMMIT END ROLLBACK ABORT PREPARE EXECUTE DEALLOCATE EXPLAIN';
const CLASSES = new Map<string, StatementClass>([
  ...READS.split(' ').map((verb) => [verb, 'read'] as const),
  ...WRITES.split(' ').map((verb) => [verb, 'write'] as const),
  ...DEFINES.split(' ').map((verb) => [verb, 'ddl'] as const),
  ...OTHERS.split(' ').map((verb) => [verb, 'other'] as const),
]);
/** Every word that begins a statement. */
const VERBS = ['WITH', ...CLASSES.keys()];
/** Verbs that mean the same as another verb. */
const SAME_AS: { readonly [verb: string]: string } = {
  FROM: 'SELECT',
  TABLE: 'SELECT',
  DESC: 'DESCRIBE',
  ANALYSE: 'ANALYZE',
};

/** Splits a SQL text into statements, at each `;` outside strings, comments and quoted names. */
export function statementsOf(sql: string): readonly SqlStatement[] {
  const groups: SqlToken[][] = [[]];
  for (const token of lexSql(sql).tokens) {
    if (sql.startsWith(';', token.start) && token.kind === 'symbol') groups.push([]);
    else if (token.kind !== 'blank' && token.kind !== 'comment') groups.at(-1)?.push(token);
  }
  return groups.flatMap((tokens) => {
    const [first, last] = [tokens[0], tokens.at(-1)];
    return first && last ? [{ text: sql.slice(first.start, last.end), offset: first.start }] : [];
  });
}

/** Classifies SQL. Several statements have the gravest of their classes, and the verb of the last, which returns the rows. */
export function classify(sql: string): Classification {
  const parts = statementsOf(sql).map(({ text }) => classifyOne(piecesOf(text)));
  const last = parts.at(-1);
  if (last === undefined) return { mode: 'write', operation: 'EMPTY', class: 'other' };
  const gravest = parts.reduce((worst, part) => (WEIGHTS[part.class] > WEIGHTS[worst.class] ? part : worst));
  if (isDoubtful(sql)) return { mode: 'write', operation: last.operation, class: 'other' };
  return { mode: gravest.mode, operation: last.operation, class: gravest.class };
}

/** A word that begins no statement, with its offset in the SQL and the verb that it is close to. */
export interface MisspeltVerb {
  readonly word: string;
  readonly offset: number;
  readonly meant: string;
}

/** Finds a misspelt verb, such as SELEC. Null if the verb is known, or close to none: an extension may know it. */
export function misspeltVerb(sql: string): MisspeltVerb | null {
  const tokens = meaningful(sql);
  const token = tokens[mainVerbAt(tokens.map((one) => pieceOf(sql, one)))];
  if (token?.kind !== 'word') return null;
  const word = sql.slice(token.start, token.end);
  const meant = VERBS.includes(word.toUpperCase()) ? null : nearestName(word, VERBS);
  return meant === null ? null : { word, offset: token.start, meant };
}

/**
 * Throws sql_failed for a statement that begins with no verb of SQL. Nobody knows what it would do, so it counts as a
 * write: a read-only database asks first, and reports a mistake as a mistake.
 */
export function enforceVerb(sql: string): void {
  if (classify(sql).operation !== 'OTHER') return;
  const tokens = meaningful(sql);
  const token = tokens[mainVerbAt(tokens.map((one) => pieceOf(sql, one)))];
  const message =
    token === undefined
      ? 'The statement ends before its verb, such as SELECT.'
      : `No statement begins with ${sql.slice(token.start, token.end)}. A query begins with SELECT, WITH or FROM.`;
  throw new SvcError('sql_failed', message);
}

/** Says why a read-only database does not run a statement that is no query. Throws sql_failed for one without a verb. */
export function readonlyProblem(sql: string, database: string): string {
  enforceVerb(sql);
  const { operation, class: effect } = classify(sql);
  return effect === 'other'
    ? `Only queries run on ${database}, which is open read-only, and ${operation} is none.`
    : `This statement writes (${operation}), but ${database} is open read-only.`;
}

/**
 * Whether DuckDB may split the text differently: unclosed text, or
 * Unicode blanks near comments. Such SQL does not count as a read.
 */
function isDoubtful(sql: string): boolean {
  return lexSql(sql).problems.length > 0 || (sql.includes('/*') && hasUnicodeBlank(sql));
}

function classifyOne(pieces: readonly Piece[]): Classification {
  const verb = pieces[mainVerbAt(pieces)] ?? '';
  const own = CLASSES.get(verb) ?? 'other';
  const gravest = own === 'read' && pieces.some((_, at) => isWritingCte(pieces, at)) ? 'write' : own;
  return {
    mode: gravest === 'read' ? 'read' : 'write',
    // An unknown word may be anything, so spans must not contain it.
    operation: CLASSES.has(verb) ? (SAME_AS[verb] ?? verb) : 'OTHER',
    class: gravest,
  };
}

function mainVerbAt(pieces: readonly Piece[]): number {
  let at = 0;
  while (pieces[at] === '(' || pieces[at] === 'WITH') {
    at = pieces[at] === '(' ? at + 1 : afterCtes(pieces, at + 1);
  }
  return at;
}

/** Skips `[RECURSIVE] name [(columns)] [USING KEY (...)] AS [[NOT] MATERIALIZED] (...)`, and further ones after each `,`. */
function afterCtes(pieces: readonly Piece[], from: number): number {
  let at = pieces[from] === 'RECURSIVE' && pieces[from + 1] !== 'AS' ? from + 1 : from;
  for (;;) {
    at += 1;
    while (at < pieces.length && pieces[at] !== 'AS') at = afterGroup(pieces, at);
    while (at < pieces.length && pieces[at] !== '(') at += 1;
    at = afterGroup(pieces, at);
    if (pieces[at] !== ',') return at;
    at += 1;
  }
}

/** Skips one piece, or a bracket with its content. */
function afterGroup(pieces: readonly Piece[], from: number): number {
  let depth = 0;
  let at = from;
  do {
    if (pieces[at] === '(') depth += 1;
    if (pieces[at] === ')') depth -= 1;
    at += 1;
  } while (depth > 0 && at < pieces.length);
  return at;
}

function isWritingCte(pieces: readonly Piece[], at: number): boolean {
  const before = pieces[at - 1];
  const opens = pieces[at] === '(' && (before === 'AS' || before === 'MATERIALIZED');
  return opens && CLASSES.get(pieces[at + 1] ?? '') === 'write';
}

function piecesOf(sql: string): readonly Piece[] {
  return meaningful(sql).map((token) => pieceOf(sql, token));
}

function meaningful(sql: string): readonly SqlToken[] {
  return lexSql(sql).tokens.filter(({ kind }) => kind !== 'blank' && kind !== 'comment');
}

function pieceOf(sql: string, { kind, start, end }: SqlToken): Piece {
  if (kind === 'word') return sql.slice(start, end).toUpperCase();
  return kind === 'symbol' ? sql.slice(start, end) : '';
}
