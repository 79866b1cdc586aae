import { SvcError } from '../errors.ts';
import { lexSql, type SqlToken } from './lexer.ts';
import { classify } from './statement.ts';

/** Functions that send a statement to an attached database. The second argument is its text. `execute` is made for writes. */
const SENDING = /^"?((?:postgres|mysql|sqlite)_(?:query|execute))"?$/i;
const NAMED = /(?:postgres|mysql|sqlite)_(?:query|execute)/i;

/** The verbs of statements that read, in the dialects of these databases. */
const READING: ReadonlySet<string> = new Set(['SELECT', 'VALUES', 'SHOW', 'DESCRIBE', 'EXPLAIN', 'PRAGMA']);

/**
 * Throws sql_rejected for a query that sends a write to an attached database: the transaction of a query is rolled back, so
 * the write would be lost although its rows came back. Finds constant texts only.
 */
export function refuseSentWrites(sql: string): void {
  if (!NAMED.test(sql)) return;
  const tokens = lexSql(sql).tokens.filter(({ kind }) => kind !== 'blank' && kind !== 'comment');
  const textAt = (at: number) => sql.slice(tokens[at]?.start, tokens[at]?.end);
  for (const at of tokens.keys()) {
    const name = SENDING.exec(textAt(at))?.[1];
    if (name === undefined || textAt(at + 1) !== '(') continue;
    if (/execute$/i.test(name)) throw lostWrite(name, 'a statement');
    const [first, ...more] = secondArgument(sql, tokens.slice(at + 2));
    if (first?.kind !== 'string') continue;
    const verb = writingVerb(textIn(sql.slice(first.start, first.end)), more.length === 0);
    if (verb !== null) throw lostWrite(name, verb);
  }
}

/** The tokens between the first comma of an argument list and the next comma, or the end of the list. */
function secondArgument(sql: string, tokens: readonly SqlToken[]): readonly SqlToken[] {
  const found: SqlToken[] = [];
  let [depth, argument] = [0, 1];
  for (const token of tokens) {
    const text = sql.slice(token.start, token.end);
    if (token.kind === 'symbol' && ')]}'.includes(text)) depth -= 1;
    if (token.kind === 'symbol' && '([{'.includes(text)) depth += 1;
    if (depth < 0) break;
    if (depth === 0 && text === ',') argument += 1;
    else if (argument === 2) found.push(token);
  }
  return found;
}

/** The verb of a text that writes; null if it reads. The beginning of a text must say more clearly that it writes. */
function writingVerb(text: string, whole: boolean): string | null {
  const { operation, class: effect } = classify(text);
  if (effect === 'write' || effect === 'ddl') return operation;
  return whole && !READING.has(operation) ? operation : null;
}

/** The value of a string as SQL writes it: in quotes, with escapes, or between dollar signs. */
function textIn(text: string): string {
  const dollar = /^(\$[^$]*\$)([\s\S]*)\1$/.exec(text)?.[2];
  if (dollar !== undefined) return dollar;
  const inner = text.replace(/^e?'|'$/gi, '').replaceAll("''", "'");
  return /^e/i.test(text) ? inner.replaceAll(/\\[nrt]/g, ' ').replaceAll(/\\(.)/g, '$1') : inner;
}

function lostWrite(name: string, verb: string): SvcError {
  const named = READING.has(verb) ? `a ${verb} that writes` : verb;
  const what = verb === 'OTHER' || verb === 'EMPTY' ? 'a statement that does not read' : named;
  return new SvcError(
    'sql_rejected',
    `${name} sends ${what} to an attached database, but a query saves nothing: the change would be rolled back.
Write to the attached table itself, as in INSERT INTO lake.orders …. A server also takes CALL postgres_execute('lake', '…'), or mysql_execute.`,
  );
}
