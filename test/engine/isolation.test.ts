import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runScript } from '../../adapters/duckdb-native/files/script.ts';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import type { JsonValue } from '../../src/json.ts';
import type { Database, SqlCaller } from '../../src/ports.ts';
import type { SqlValue } from '../../src/sql-value.ts';
import { ENGINES } from './engines.ts';
import { callerOf, errorOf, read, temporaryFolder, write } from './fixture.ts';

const USERS = 50;
/** 10,000 in all; a database open for writing reads by the same code. */
const callsOf = ({ readonly }: Database): number => (readonly ? 200 : 20);

/** The functions do not exist where the file is made: the views are planned with stand-ins, which then go. */
const FUNCTIONS =
  'get_user_external_token() get_username() get_user_provider() get_user_email() get_request_header(name) get_request_headers_json()'.split(
    ' ',
  );
const SCRIPT = `
${FUNCTIONS.map((name) => `CREATE MACRO ${name} AS NULL::VARCHAR;`).join('\n')}
CREATE TABLE people AS SELECT 'user ' || i AS username, 'user' || i || '@example.com' AS email, i AS number
  FROM range(${USERS}) t(i);
CREATE TABLE names AS SELECT CASE i % 3 WHEN 0 THEN 'x-number' WHEN 1 THEN 'X-Number' ELSE 'absent' END AS name
  FROM range(2500) t(i);
CREATE VIEW me AS SELECT * FROM people WHERE username = get_username() AND email = get_user_email();
CREATE VIEW signed AS SELECT concat_ws('/', get_user_provider(), get_user_external_token()) AS v FROM me;
CREATE MACRO whoami() AS concat(get_username(), ' by ', get_user_provider());
CREATE MACRO my_rows() AS TABLE SELECT number FROM people WHERE email = get_user_email();
${FUNCTIONS.map((name) => `DROP MACRO ${name.replace(/\(.*/, '')};`).join('\n')}
`;

/** A statement that asks who calls, and what it must answer each caller: null where nobody is authenticated. */
interface Question {
  readonly sql: string;
  readonly values?: readonly SqlValue[];
  readonly answer: (caller: SqlCaller, index: number) => JsonValue;
  readonly nobody?: JsonValue;
}

const json = ({ headers }: SqlCaller): string => JSON.stringify(Object.fromEntries(headers ?? []));

const QUESTIONS: readonly Question[] = [
  { sql: 'SELECT get_user_email() AS v', answer: ({ email }) => email },
  { sql: 'SELECT get_username() AS v', answer: ({ username }) => username },
  { sql: 'SELECT get_user_provider() AS v', answer: ({ provider }) => provider },
  { sql: 'SELECT get_user_external_token() AS v', answer: ({ externalToken }) => externalToken },
  { sql: "SELECT get_request_header('X-NUMBER') AS v", answer: (_, index) => String(index) },
  {
    sql: 'SELECT get_request_header($1) AS v',
    values: ['x-Number'],
    answer: (_, index) => String(index),
  },
  { sql: 'SELECT get_request_headers_json() AS v', answer: json },
  {
    sql: 'SELECT max(number) AS v FROM people WHERE email = get_user_email()',
    answer: (_, index) => index,
  },
  {
    sql: 'SELECT count(*) AS v FROM people WHERE username <> get_username()',
    answer: () => USERS - 1,
    nobody: 0,
  },
  { sql: 'SELECT max(number) AS v FROM me', answer: (_, index) => index },
  {
    sql: 'SELECT max(v) AS v FROM signed',
    answer: ({ provider, externalToken }) => `${provider}/${externalToken}`,
  },
  {
    sql: `WITH caller AS (SELECT get_username() AS name, get_user_email() AS email), found AS MATERIALIZED (
      SELECT number FROM people JOIN caller ON username = name AND people.email = caller.email)
      SELECT (SELECT max(number) FROM found) AS v`,
    answer: (_, index) => index,
  },
  {
    sql: "SELECT string_agg(DISTINCT get_request_header(name), '|') AS v FROM names",
    answer: (_, index) => String(index),
  },
  {
    sql: 'SELECT whoami() AS v',
    answer: ({ username, provider }) => `${username} by ${provider}`,
    nobody: ' by ',
  },
  { sql: 'SELECT max(number) AS v FROM my_rows()', answer: (_, index) => index },
  {
    sql: 'SELECT max((SELECT p.number FROM people p WHERE p.username = get_username() AND n.name IS NOT NULL)) AS v FROM names n',
    answer: (_, index) => index,
  },
];

/** What a client may try in order to be somebody else. */
const FORGERIES: readonly string[] = [
  "SET VARIABLE get_username = 'user 1'",
  "SET VARIABLE get_user_email TO 'user1@example.com'",
  "CREATE MACRO get_username() AS 'user 1'",
  "CREATE OR REPLACE MACRO get_username() AS 'user 1'",
  "CREATE TEMP MACRO get_username() AS 'user 1'",
  "CREATE OR REPLACE TEMPORARY FUNCTION get_user_email() AS 'user1@example.com'",
  'CREATE OR REPLACE VIEW me AS SELECT * FROM people WHERE number = 1',
  'PREPARE asked AS SELECT get_username(); EXECUTE asked',
  "SELECT 1 AS v; CREATE TEMP MACRO get_username() AS 'user 1'",
  "SELECT 1) AS q; CREATE TEMP MACRO get_username() AS 'user 1'; SELECT * FROM (SELECT 1 AS v",
  "SELECT * FROM query('CREATE TEMP MACRO get_username() AS 1')",
  'EXECUTE asked',
  'DROP FUNCTION get_username',
  'USE temp',
  "SET search_path = 'temp'",
];

describe.each(ENGINES)('a database with a function of its own on $name', ({ open }) => {
  it.each([
    "get_username() AS 'user 1'",
    "GET_USER_EMAIL(x := 1) AS 'user1@example.com'",
    'get_request_header(name, other) AS other',
  ])('is not opened: %s', async (macro) => {
    const folder = await temporaryFolder();
    onTestFinished(() => folder.remove());
    await runScript(folder.file('forged.duckdb'), `CREATE MACRO ${macro}`);
    const error = await errorOf(open(folder.file('forged.duckdb')));
    expect(error.code).toBe('project_invalid');
    expect(error.message).toContain(macro.replace(/\(.*/, '').toLowerCase());
  });
});

describe('a statement that writes', () => {
  it.each([
    "CREATE MACRO get_username() AS 'user 1'",
    'create or replace /* x */ function main."get_user_email" () AS \'user1@example.com\'',
    "CREATE MACRO IF NOT EXISTS get_request_header(name) AS 'x'",
  ])('does not define what tells of the caller: %s', async (sql) => {
    const database = await openNative({ path: ':memory:', readonly: false });
    onTestFinished(() => database.close());
    expect((await errorOf(write(database, sql))).code).toBe('sql_rejected');
    expect((await write(database, 'CREATE MACRO get_usernames() AS 1')).rows).toEqual([]);
  });
});

describe.each(ENGINES)('callers on $name', ({ open }) => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let database: Database;
  beforeAll(async () => {
    folder = await temporaryFolder();
    await runScript(folder.file('people.duckdb'), SCRIPT);
    database = await open(folder.file('people.duckdb'));
  });
  afterAll(async () => {
    await database?.close();
    await folder.remove();
  });

  const ask = async ({ sql, values }: Question, caller: SqlCaller | null): Promise<JsonValue> =>
    (await read(database, sql, values, { caller })).rows[0]?.v ?? null;

  /** One user's calls, each begun when the one before is answered; what went wrong. */
  async function useAs(index: number): Promise<readonly string[]> {
    const wrong: string[] = [];
    for (let call = 0; call < callsOf(database); call += 1) {
      const question = QUESTIONS[(index + call) % QUESTIONS.length];
      if (question === undefined) throw new Error('there are no questions');
      const caller = (index + call) % 11 === 0 ? null : callerOf(index);
      const expected = caller === null ? (question.nobody ?? null) : question.answer(caller, index);
      const answer = await ask(question, caller);
      if (answer !== expected) wrong.push(`user ${index}: ${question.sql} = ${answer}, not ${expected}`);
    }
    return wrong;
  }

  it(`are told apart, ${USERS} at once, thousands of calls`, async () => {
    const wrong = await Promise.all(Array.from({ length: USERS }, (_, index) => useAs(index)));
    expect(wrong.flat()).toEqual([]);
  }, 120_000);

  it('leave nothing behind when their calls fail or are given up', async () => {
    const rounds = Array.from({ length: 100 }, async (_, index) => {
      const abort = new AbortController();
      const failing = index % 2 === 0 ? 'SELECT error(get_username())' : 'SELECT get_username() FROM nowhere';
      const failed = errorOf(read(database, failing, [], { caller: callerOf(1), signal: abort.signal }));
      const seen = read(database, 'SELECT get_username() AS v, get_user_email() AS mail');
      if (index % 3 === 0) abort.abort();
      await failed;
      return (await seen).rows[0];
    });
    expect(await Promise.all(rounds)).toEqual(rounds.map(() => ({ v: null, mail: null })));
  });

  it.each(FORGERIES)('cannot be made up by: %s', async (sql) => {
    const { code } = await errorOf(read(database, sql, [], { caller: callerOf(7) }));
    expect(['sql_failed', 'sql_rejected', 'database_readonly']).toContain(code);
    const { rows } = await read(database, 'SELECT get_username() AS name, number FROM me', [], {
      caller: callerOf(7),
    });
    expect(rows).toEqual([{ name: 'user 7', number: 7 }]);
  });

  it('are nobody where nobody is authenticated', async () => {
    for (const question of QUESTIONS) expect(await ask(question, null)).toBe(question.nobody ?? null);
  });
});
