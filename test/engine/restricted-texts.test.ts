import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
} as const;
type Name = keyof typeof CONDITIONS;

const NAMES = Object.keys(CONDITIONS) as readonly Name[];
const SEED = NAMES.map(
  (name) => `CREATE TABLE ${name} AS SELECT 1 AS one, 'nan'::DOUBLE AS none, 'nan'::FLOAT AS single,
    'inf'::DOUBLE - 'inf'::DOUBLE AS negative, 2 AS whole, 2.00::DECIMAL(10, 2) AS amount, 2.0::DOUBLE AS real,
    [1, 2] AS members, DATE '2026-01-02' AS day, 'low'::ENUM ('low', 'high') AS mood, '02' AS letters, '2' AS digits;`,
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

  /** The tables whose row the caller sees. */
  async function seenBy(
    username: string,
    {
      flag = null,
      account = null,
    }: { readonly flag?: boolean | null; readonly account?: number | null } = {},
  ): Promise<readonly string[]> {
    const user = { ...ALICE, username, claims: { flag, account } };
    const seen = NAMES.map(async (name) => {
      const [answer] = await answersOf([served], user, `SELECT 'seen' AS answer FROM ${name}`);
      return JSON.stringify(answer).includes('"answer":"seen"') ? name : null;
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

  it('equal texts, dates and words as they are written', async () => {
    expect(await seenBy('02')).toEqual(['letters']);
    expect(await seenBy('2026-01-02')).toEqual(['day']);
    expect(await seenBy('low')).toEqual(['mood']);
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
    ]);
    expect(await seenBy('x', { account: 1.5 })).toEqual(['number_other']);
  });
});
