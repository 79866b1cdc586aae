import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/json.ts';
import { ALICE, type EngineName, type Served, SITE, serveTree } from '../unit/call/project.ts';
import { answersOf } from './restricted-answers.ts';

/** Tables with one row, and the condition of each. */
const CONDITIONS = {
  whole: 'whole == user.username',
  least: 'whole <= user.username',
  turned: 'user.username == whole',
  amount: 'amount == user.username',
  real: 'real == user.username',
  member: 'user.username in members',
  flag: 'one == user.claims.flag',
  flag_text: 'letters == user.claims.flag',
  number_text: 'letters == user.claims.account',
  number_other: 'letters != user.claims.account',
  number_above: 'letters > user.claims.account',
  number_digits: 'user.claims.account == digits',
  number_amount: 'amount == user.claims.account',
  number_whole: 'whole == user.claims.account',
  day: 'day == user.username',
  mood: 'mood == user.username',
  letters: 'letters == user.username',
  above: 'none > 1',
  turned_above: '1.5 <= none',
  above_negative: 'negative > 1',
  above_float: 'single > 1',
  above_real: "real > 1 && user.username == '2'",
  truth: 'truth == user.username',
  id: 'id == user.username',
  moment: 'moment >= user.username',
  document: 'document == user.username',
  exact: 'exact <= user.claims.account',
  whole_list: 'user.username == members',
  two_columns: 'whole == word',
  bare: 'whole',
  bare_text: 'word',
  bare_truth: "truth && user.username == 'bare'",
  truth_in: 'truth in user.claims.list',
  truth_not_in: '!(truth in user.claims.list)',
  whole_in: 'whole in user.claims.list',
  whole_not_in: '!(whole in user.claims.list)',
  amount_in: 'amount in user.claims.list',
  digits_in: 'digits in user.claims.list',
  day_in: 'day in user.claims.list',
  id_in: 'id in user.claims.list',
  mood_in: 'mood in user.claims.list',
  members_are: 'members == user.claims.list',
} as const;
type Name = keyof typeof CONDITIONS;

const NAMES = Object.keys(CONDITIONS) as readonly Name[];
const SEED = NAMES.map(
  (name) => `CREATE TABLE ${name} AS SELECT 1 AS one, 'nan'::DOUBLE AS none, 'nan'::FLOAT AS single,
    'inf'::DOUBLE - 'inf'::DOUBLE AS negative, 2 AS whole, 2.00::DECIMAL(10, 2) AS amount, 2.0::DOUBLE AS real,
    [1, 2] AS members, true AS truth, 'low' AS word, 2::DECIMAL(38, 30) AS exact, '{}'::JSON AS document,
    '00000000-0000-0000-0000-00000000000a'::UUID AS id, TIMESTAMP '2026-01-02 03:04:05' AS moment, DATE '2026-01-02' AS day, 'low'::ENUM ('low', 'high') AS mood, '02' AS letters, '2' AS digits;`,
).join('\n');
const RULES = NAMES.map((name) => `    - { name: ${name}, rows: ${JSON.stringify(CONDITIONS[name])} }`).join(
  '\n',
);

describe.each<EngineName>(['wasm', 'native'])('texts of a caller beside columns on %s', (engine) => {
  let served: Served;
  beforeAll(async () => {
    served = await serveTree(
      { 'svc-site.yml': `${SITE}sql_tools:\n  enabled: true\n  tables:\n${RULES}\n` },
      SEED,
      engine,
    );
  });
  afterAll(() => served.close());

  /** The tables whose row the caller sees, and those that fail at a row. A binder error is the same without rows. */
  async function seenBy(
    username: string,
    claims: { readonly flag?: boolean; readonly account?: number; readonly list?: JsonValue } = {},
  ): Promise<readonly string[]> {
    const user = { ...ALICE, username, claims };
    const seen = NAMES.map(async (name) => {
      const [answer] = await answersOf([served], user, `SELECT 'seen' AS answer FROM ${name}`);
      const text = JSON.stringify(answer);
      if (text.includes('"error"') && !text.includes('Binder Error')) return `${name}: ${text}`;
      return text.includes('"answer":"seen"') ? name : null;
    });
    return (await Promise.all(seen)).filter((name) => name !== null);
  }

  it('equal a number only if they are written as one', async () => {
    expect(await seenBy('2')).toEqual(['whole', 'least', 'turned', 'amount', 'real', 'member', 'above_real']);
  });

  // DuckDB reads all of these as 2 if a column has numbers.
  it.each(['1.5', '2.4', '2.0', ' 2', '2e0', '+2', '002'])('equal no number if they are %j', async (text) => {
    expect(await seenBy(text)).toEqual([]);
  });

  // DuckDB casts the text to the type of the column, and fails at the first row if it cannot.
  it.each(['ada', '99999999999999999999999999999999999999999999'])(
    'do not tell whether rows are there if they are %j',
    async (text) => {
      expect(await seenBy(text)).toEqual([]);
      expect(await seenBy(text, { account: 10_000_000_000 })).toEqual(['number_other']);
    },
  );

  it('equal no truth values', async () => {
    expect(await seenBy('true')).toEqual([]);
  });

  it('equal texts, dates and words as they are written', async () => {
    expect(await seenBy('02')).toEqual(['letters']);
    expect(await seenBy('2026-01-02')).toEqual(['day', 'moment']);
    expect(await seenBy('low')).toEqual(['mood']);
  });

  it.each<[list: JsonValue, seen: readonly string[]]>([
    [
      ['2', 'ada', '02'],
      ['whole_in', 'amount_in', 'digits_in'],
    ],
    [['3', '4'], ['whole_not_in']],
    [
      ['2026-01-02', 'low', '00000000-0000-0000-0000-00000000000A'],
      ['day_in', 'id_in', 'mood_in'],
    ],
    [['02', 'true'], []],
    [
      [2, 1.5],
      ['whole_in', 'amount_in', 'digits_in'],
    ],
    [
      [1.5, 2],
      ['whole_in', 'amount_in', 'digits_in'],
    ],
    [[0, 1], ['whole_not_in']],
    [
      [1, 2],
      ['whole_in', 'amount_in', 'digits_in', 'members_are'],
    ],
    [[true], ['truth_in']],
    [[false], ['truth_not_in']],
  ])('are those of the list %j', async (list, seen) => {
    expect((await seenBy('y', { list })).toSorted()).toEqual(seen.toSorted());
  });

  it('are no condition of their own, but truth values are', async () => {
    expect(await seenBy('bare')).toEqual(['bare_truth']);
  });

  // Infinity minus infinity is a NaN with a sign, which DuckDB writes as `-nan`.
  it.each(['above', 'turned_above', 'above_negative', 'above_float'])(
    'meet no NaN that is more than a number: %s',
    async (name) => {
      expect(await seenBy('2')).not.toContain(name);
    },
  );

  it('are no numbers if they are true or false', async () => {
    expect(await seenBy('x', { flag: true })).toEqual([]);
  });

  // DuckDB reads `02` as 2 beside a number.
  it('equal a number of the caller only if they are written like it', async () => {
    expect(await seenBy('x', { account: 2 })).toEqual([
      'number_other',
      'number_digits',
      'number_amount',
      'number_whole',
      'exact',
    ]);
    expect(await seenBy('x', { account: 1.5 })).toEqual(['number_other']);
  });
});
