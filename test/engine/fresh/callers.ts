import type { Database, SqlCaller } from '../../../src/ports.ts';
import type { SqlValue } from '../../../src/sql-value.ts';
import { callerOf } from '../fixture.ts';
import { ask, tell } from './ask.ts';

/** The callers that ask at the same time. */
export const CALLERS = 256;
const TURNS = 4;
/** Every so many callers one writes. */
const WRITERS = 8;

/** The user functions do not exist where the file is made: the views are planned with stand-ins, which are then dropped. */
const STAND_INS = ['get_username()', 'get_user_email()', 'get_request_header(name)'];

/** The tables that the callers ask about. */
export const CALLERS_SCRIPT = `
${STAND_INS.map((name) => `CREATE MACRO ${name} AS NULL::VARCHAR;`).join('\n')}
CREATE TABLE people AS SELECT i::INTEGER AS number, 'user ' || i AS username, 'user' || i || '@example.com' AS email
  FROM range(${CALLERS}) t(i);
ALTER TABLE people ADD PRIMARY KEY (number);
CREATE TABLE own AS SELECT i::INTEGER AS number, -1 AS n FROM range(${CALLERS}) t(i);
CREATE VIEW me AS SELECT * FROM people WHERE username = get_username();
CREATE MACRO signature() AS concat(get_username(), ' ', get_request_header('x-number'));
CREATE MACRO my_rows() AS TABLE SELECT number FROM people WHERE email = get_user_email();
${STAND_INS.map((name) => `DROP MACRO ${name.replace(/\(.*/, '')};`).join('\n')}
`;

/** One way to ask, and the answers that are right for the caller with a number. */
interface Question {
  readonly sql: string;
  readonly values?: (number: number) => readonly SqlValue[];
  readonly right: (number: number) => string;
}

const bound = (number: number): readonly SqlValue[] => [BigInt(number)];
const ownNumber = (number: number): string => String(number);

/** The user functions in statements, views and macros, beside statements that name no user. */
const QUESTIONS: readonly Question[] = [
  { sql: 'SELECT number AS v FROM people WHERE number = $1', values: bound, right: ownNumber },
  { sql: 'SELECT $1::INTEGER AS v', values: bound, right: ownNumber },
  { sql: 'SELECT get_username() AS v', right: (number) => `user ${number}` },
  { sql: "SELECT get_request_header('x-number') AS v", right: ownNumber },
  { sql: 'SELECT number AS v FROM people WHERE username = get_username()', right: ownNumber },
  { sql: 'SELECT number AS v FROM me', right: ownNumber },
  { sql: 'SELECT signature() AS v', right: (number) => `user ${number} ${number}` },
  { sql: 'SELECT number AS v FROM my_rows()', right: ownNumber },
  {
    sql: "SELECT concat(username, get_request_header('x-number'), get_user_email()) AS v FROM people WHERE number = $1",
    values: bound,
    right: (number) => `user ${number}${number}user${number}@example.com`,
  },
  { sql: 'SELECT error(get_username()) AS v', right: () => 'sql_failed' },
];

/** Runs for some milliseconds, so that a deadline and a cancellation can end it before and while it runs. */
const LONG = 'SELECT $1::INTEGER AS v FROM (SELECT sum(i * i) AS s FROM range(100000) t(i)) WHERE s > 0';

/** The longest of the deadlines and of the turns of the event loop before a cancellation. */
const SOONEST = 16;

/** Each of the callers asks for their own rows, all at the same time. Returns the answers that are wrong. */
export async function checkCallers(database: Database): Promise<readonly string[]> {
  const callers = Array.from({ length: CALLERS }, (_, number) => checkCaller(database, number));
  return (await Promise.all(callers)).flat();
}

async function checkCaller(database: Database, number: number): Promise<readonly string[]> {
  const caller = callerOf(number);
  const wrong: string[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const question = QUESTIONS[(number + turn * 3) % QUESTIONS.length] ?? raise('there are no questions');
    const { sql, values, right } = question;
    const expected = right(number);
    const answer = await ask(database, sql, values?.(number), { caller, timeoutMs: 60_000 });
    if (answer !== expected) wrong.push(`user ${number}: ${sql} = ${answer}, not ${expected}`);
    if (turn === number % (2 * TURNS)) wrong.push(...(await checkEnded(database, caller, number)));
  }
  if (number % WRITERS === 0) wrong.push(...(await checkWritten(database, caller, number)));
  return wrong;
}

/** A call that its deadline or its caller may end has its own answer or none. */
async function checkEnded(database: Database, caller: SqlCaller, number: number): Promise<readonly string[]> {
  const abort = new AbortController();
  const cancelled = (number >> 1) % 2 === 0;
  const limits = cancelled ? { signal: abort.signal } : { timeoutMs: 1 + (number % SOONEST) };
  const answering = ask(database, LONG, bound(number), { caller, timeoutMs: 60_000, ...limits });
  if (cancelled) {
    for (let turn = 0; turn < number % SOONEST; turn += 1) await new Promise(setImmediate);
    abort.abort();
  }
  const answer = await answering;
  const right = [String(number), ...(cancelled ? ['cancelled'] : ['deadline_exceeded', 'busy'])];
  return right.includes(answer) ? [] : [`user ${number}: ${LONG} = ${answer}, not ${right.join(' or ')}`];
}

/** A committed row is in the next answer. */
async function checkWritten(
  database: Database,
  caller: SqlCaller,
  number: number,
): Promise<readonly string[]> {
  const sql = "UPDATE own SET n = get_request_header('x-number')::INTEGER WHERE number = $1";
  const call = { caller, timeoutMs: 60_000 };
  const told = await tell(database, sql, bound(number), call);
  const refused = told === 'database_readonly';
  const seen = await ask(database, 'SELECT n AS v FROM own WHERE number = $1', bound(number), call);
  const expected = database.readonly ? '-1' : String(number);
  if (seen === expected && refused === database.readonly) return [];
  return [`user ${number}: wrote (${told}) and read ${seen}, not ${expected}`];
}

function raise(message: string): never {
  throw new Error(message);
}
