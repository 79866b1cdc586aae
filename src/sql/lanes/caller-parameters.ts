import type { SqlCaller, SqlRequest } from '../../ports.ts';
import { lexSql } from '../lexer.ts';

type Fact = (caller: SqlCaller) => string | null;

/** The user functions without an argument, and their answers. */
const FACTS: ReadonlyMap<string, Fact> = new Map<string, Fact>([
  ['get_user_external_token', ({ externalToken }) => externalToken],
  ['get_username', ({ username }) => username],
  ['get_user_provider', ({ provider }) => provider],
  ['get_user_email', ({ email }) => email],
]);

/** A statement whose user functions are parameters behind its own ones. */
interface Rewritten {
  readonly sql: string;
  readonly facts: readonly Fact[];
}

const known = new Map<string, Rewritten | null>();
const MOST_KNOWN = 1_000;

/**
 * Makes bound parameters of the user functions in a request's own text, so that its plan is for any caller:
 * `WHERE owner = get_user_email()` becomes `WHERE owner = ($2::VARCHAR)`. Null if there are none, or if one stands where
 * its text may name a column of the result.
 */
export function bindCaller(request: SqlRequest, caller: SqlCaller | null): SqlRequest | null {
  const { sql, values } = request;
  const key = `${values.length} ${sql}`;
  let rewritten = known.get(key);
  if (rewritten === undefined) {
    if (known.size >= MOST_KNOWN) known.clear();
    rewritten = rewrite(sql, values.length);
    known.set(key, rewritten);
  }
  if (rewritten === null) return null;
  const facts = rewritten.facts.map((factOf) => (caller === null ? null : factOf(caller)));
  return { ...request, sql: rewritten.sql, values: [...values, ...facts] };
}

interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function rewrite(sql: string, parameters: number): Rewritten | null {
  if (!/get_user/i.test(sql)) return null;
  const { tokens, problems } = lexSql(sql);
  if (problems.length > 0 || tokens.some(({ kind, start }) => kind === 'positional' && sql[start] === '?'))
    return null;
  const words = tokens
    .filter(({ kind }) => kind !== 'blank' && kind !== 'comment')
    .map(({ kind, start, end }) => ({
      text: kind === 'word' || kind === 'symbol' ? sql.slice(start, end).toLowerCase() : '',
      start,
      end,
    }));
  const facts: Fact[] = [];
  let text = '';
  let from = 0;
  for (const [at, { text: name, start }] of words.entries()) {
    const fact = FACTS.get(name);
    if (fact === undefined) continue;
    const close = words[at + 2];
    if (close === undefined || !isPlainCall(words, at) || !isInCondition(words, at)) return null;
    facts.push(fact);
    text += `${sql.slice(from, start)}($${parameters + facts.length}::VARCHAR)`;
    from = close.end;
  }
  return facts.length === 0 ? null : { sql: text + sql.slice(from), facts };
}

/** Whether it is a call without arguments, of a name without a schema. */
function isPlainCall(words: readonly Word[], at: number): boolean {
  return words[at - 1]?.text !== '.' && words[at + 1]?.text === '(' && words[at + 2]?.text === ')';
}

const CONDITIONS = ['where', 'on', 'having'];
/** The other words that begin a part of a query. None of them is a name unless it is quoted. */
const PARTS =
  'select from group order limit offset union except intersect values with using returning qualify window set by'.split(
    ' ',
  );

/** Words before a query in brackets that gives no column of the result its name. */
const BEFORE_QUERIES = ['from', 'join', 'lateral', 'as', 'materialized'];

/** Whether the part of the query around a token is a condition, in which an expression has no name. */
function isInCondition(words: readonly Word[], at: number): boolean {
  let depth = 0;
  for (let before = at - 1; before >= 0; before -= 1) {
    const text = words[before]?.text ?? '';
    if (text === ')') depth += 1;
    else if (text === '(') depth = Math.max(0, depth - 1);
    else if (depth === 0 && CONDITIONS.includes(text)) return isUnnamed(words, before);
    else if (depth === 0 && PARTS.includes(text)) return false;
  }
  return false;
}

/** Whether the brackets around a condition name no column: `SELECT (SELECT a FROM t WHERE b)` has the name of its text. */
function isUnnamed(words: readonly Word[], condition: number): boolean {
  let depth = 0;
  for (let before = condition - 1; before >= 0; before -= 1) {
    const { text } = words[before] ?? {};
    if (text === ')') depth += 1;
    if (text !== '(') continue;
    if (depth === 0) {
      const isQuery = BEFORE_QUERIES.includes(words[before - 1]?.text ?? '');
      return isQuery ? isUnnamed(words, before) : isInCondition(words, before);
    }
    depth -= 1;
  }
  return true;
}
