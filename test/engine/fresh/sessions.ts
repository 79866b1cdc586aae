import type { Database } from '../../../src/ports.ts';
import { ask, tell } from './ask.ts';

/** So often a question is asked before an answer counts as its own: engines keep only what was asked before. */
const ASKED = 4;

/** The counter that writers take numbers from, and definitions that hide functions. */
export const SESSIONS_SCRIPT = `CREATE SEQUENCE numbers;
CREATE VIEW clock AS SELECT epoch_ms(localtimestamp) AS v;
CREATE MACRO clock_now() AS epoch_ms(current_localtimestamp());
CREATE VIEW seeded AS SELECT setseed(0.42) AS v;
CREATE MACRO seed() AS setseed(0.42);
CREATE MACRO dice() AS random();`;

/** So far a clock must move on before a frozen answer shows. */
const TICK_MS = 20;
/** So much the clocks of two processes of one machine may differ. */
const TOLERANCE_MS = 5;

const CLOCKS = [
  'epoch_ms(localtimestamp)',
  'epoch_ms(current_localtimestamp())',
  "epoch_ms(DATE '1970-01-01' + current_localtime())",
  'epoch_ms(now())',
  'epoch_ms(get_current_timestamp())',
  'clock_now()',
  '(SELECT v FROM clock)',
];

/** Asks for the time before and after the clock moved. Returns the answers that are not of their own call's time. */
export async function checkClocks(database: Database): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const clock of CLOCKS) {
    for (let round = 0; round < ASKED; round += 1) {
      const from = Date.now();
      const answer = Number(await ask(database, `SELECT ${clock} AS v`));
      const early = fold(clock, answer - from) < -TOLERANCE_MS;
      if (early || fold(clock, answer - Date.now()) > TOLERANCE_MS)
        wrong.push(`${clock}: ${answer} at ${from}`);
      while (Date.now() < from + TICK_MS) await new Promise(setImmediate);
    }
  }
  return wrong;
}

const DAY_MS = 86_400_000;

/** A time of day is compared within its day, from half a day before to half a day after. */
function fold(clock: string, difference: number): number {
  if (!clock.includes('current_localtime()')) return difference;
  return difference - Math.round(difference / DAY_MS) * DAY_MS;
}

/** Answers that must differ from call to call. */
const UNIQUE = ['random()', 'gen_random_uuid()', 'uuid()', 'dice()'];

/** Asks several times for random values. Returns the functions that answer the same. */
export async function checkUnique(database: Database): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const call of UNIQUE) {
    const seen: string[] = [];
    while (seen.length < ASKED) seen.push(await ask(database, `SELECT ${call} AS v`));
    if (new Set(seen).size < seen.length) wrong.push(`${call}: ${seen.join(', ')}`);
  }
  return wrong;
}

/** What a statement leaves behind in its session, how a later caller could see it, and the answer without it. */
const LEFT_BEHIND: readonly (readonly [leave: string, seek: string, answer: string])[] = [
  ['SET VARIABLE secret = 7', "SELECT getvariable('secret') AS v", 'null'],
  ['CREATE TEMP TABLE secret AS SELECT 7 AS v', 'SELECT v FROM secret', 'sql_failed'],
  ['CREATE TEMP VIEW secret_view AS SELECT 7 AS v', 'SELECT v FROM secret_view', 'sql_failed'],
  ['CREATE TEMP MACRO secret_macro() AS 7', 'SELECT secret_macro() AS v', 'sql_failed'],
  ["CREATE TEMP MACRO get_username() AS 'user 7'", 'SELECT get_username() AS v', 'null'],
  ['CREATE TEMP SEQUENCE secret_numbers', "SELECT currval('secret_numbers') AS v", 'sql_failed'],
  [
    'PREPARE secret_statement AS SELECT 7 AS v',
    'SELECT count(*) AS v FROM duckdb_prepared_statements()',
    '0',
  ],
  ["SET SESSION search_path = 'temp'", 'SELECT current_schema() AS v', 'main'],
  ["SET SESSION TimeZone = 'Asia/Tokyo'", "SELECT current_setting('TimeZone') AS v", 'UTC'],
];

/** Leaves things behind in the session of one call. Returns those that the next call sees. */
export async function checkLeftBehind(database: Database): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const [leave, seek, answer] of LEFT_BEHIND) {
    const seen: string[] = [];
    for (let round = 0; round < ASKED; round += 1) {
      seen.push(await ask(database, seek));
      await tell(database, leave);
    }
    if (seen.some((each) => each !== answer))
      wrong.push(`${leave}; ${seek}: ${seen.join(', ')}, not ${answer}`);
  }
  return wrong;
}

const SEEDS = ['SELECT setseed(0.42) AS v', 'SELECT v FROM seeded', 'SELECT seed() AS v'];

/** Sets the seed before each of several callers asks. Returns the ways to set it after which two got the same number. */
export async function checkSeeds(database: Database): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const seed of SEEDS) {
    const seen: string[] = [];
    while (seen.length < ASKED) {
      await ask(database, seed);
      seen.push(await ask(database, 'SELECT random() AS v'));
    }
    if (new Set(seen).size < seen.length) wrong.push(`${seed}: ${seen.join(', ')}`);
  }
  return wrong;
}

/** Statements that draw a number before they set a seed, through a view and through a macro. */
const SEEDED_AFTERWARDS = [
  'SELECT random() AS v, seed() AS seeded',
  'SELECT random() AS v, s.v AS seeded FROM seeded s',
];

/** Asks for a number and sets a seed in one statement. Returns the statements that gave two callers the same number. */
export async function checkSeedsAfterwards(database: Database): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const sql of SEEDED_AFTERWARDS) {
    const seen: string[] = [];
    while (seen.length < ASKED) seen.push(await ask(database, sql));
    if (new Set(seen).size < seen.length) wrong.push(`${sql}: ${seen.join(', ')}`);
  }
  return wrong;
}

/** Callers take numbers from a sequence at the same time. Returns the numbers that several of them got. */
export async function checkSequence(database: Database): Promise<readonly string[]> {
  const taking = Array.from({ length: 32 }, () => tell(database, "SELECT nextval('numbers') AS v"));
  const taken = await Promise.all(taking);
  const highest = await ask(database, "SELECT currval('numbers') AS v");
  const known = taken.includes(highest) ? [] : [`currval: ${highest}`];
  return [...taken.filter((number, index) => taken.indexOf(number) < index), ...known];
}
