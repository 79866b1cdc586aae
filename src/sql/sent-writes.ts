import { SvcError } from '../errors.ts';
import { lexSql, type SqlToken } from './lexer.ts';
import { classify } from './statement.ts';

/** Functions that send a statement to an attached database. The second argument is its text. `execute` is made for writes. */
const SENDING = /^"?((?:postgres|mysql|sqlite)_(?:query|execute))"?$/i;
const NAMED = /(?:postgres|mysql|sqlite)_(?:query|execute)/i;

/** The verbs of statements that read, in the dialects of these databases. */
const READING: ReadonlySet<string> = new Set(['SELECT', 'VALUES', 'SHOW', 'DESCRIBE', 'EXPLAIN', 'PRAGMA']);

/** A bracket that is open. */
interface List {
  /** The function before it that sends a statement. */
  readonly sender: string | null;
  /** The number of the argument, from 1. */
  argument: number;
  /** The tokens of the second argument, without those in brackets of its own. */
  readonly second: SqlToken[];
}

/**
 * Throws sql_rejected for a query that sends a write to an attached database: the transaction of a query is rolled back, so
 * the write would be lost although its rows came back. Finds constant texts only.
 */
export function refuseSentWrites(sql: string): void {
  if (!NAMED.test(sql)) return;
  const tokens = lexSql(sql).tokens.filter(({ kind }) => kind !== 'blank' && kind !== 'comment');
  const open: List[] = [];
  let before = '';
  for (const token of tokens) {
    const text = sql.slice(token.start, token.end);
    const closes = token.kind === 'symbol' && ')]}'.includes(text);
    if (closes) refuseLost(sql, open.pop());
    const list = open.at(-1);
    if (list !== undefined && text === ',') list.argument += 1;
    else if (list?.argument === 2 && !closes) list.second.push(token);
    if (token.kind === 'symbol' && '([{'.includes(text)) open.push(listAfter(text === '(' ? before : ''));
    before = text;
  }
  for (const list of open) refuseLost(sql, list);
}

function listAfter(name: string): List {
  const sender = SENDING.exec(name)?.[1] ?? null;
  if (sender !== null && /execute$/i.test(sender)) throw lostWrite(sender, 'a statement');
  return { sender, argument: 1, second: [] };
}

/** Throws if the list of arguments sends a write. */
function refuseLost(sql: string, list: List | undefined): void {
  const [first, ...more] = list?.second ?? [];
  if (!list?.sender || first?.kind !== 'string') return;
  const verb = writingVerb(textIn(sql.slice(first.start, first.end)), more.length === 0);
  if (verb !== null) throw lostWrite(list.sender, verb);
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
