import { describe, expect, it } from 'vitest';
import {
  absentDatabase,
  createRedaction,
  isLostConnection,
  reasonOf,
} from '../../adapters/duckdb-native/attach/errors.ts';
import { explainRemote, toQueryError } from '../../adapters/duckdb-native/errors.ts';
import { toDuckdbError } from '../../adapters/duckdb-wasm/errors.ts';
import { SvcError } from '../../src/errors.ts';
import { patternPrice } from '../../src/policy/cel/pattern-price.ts';
import { repeatedNames, uniqueNames } from '../../src/sql/forms.ts';
import { jsonForm } from '../../src/sql/json-form.ts';
import { unwrapMessage } from '../../src/sql/query.ts';
import { checkRestrictedStatement } from '../../src/sql/restricted/statement.ts';
import { cpuMs } from './cpu.ts';

/* Callers and rows choose texts that engines quote in their errors. One of them must not hold the thread for long. */

const MANY = 100_000;

const failed = (text: string): SvcError => new SvcError('sql_failed', text);
const redact = createRedaction([]);

function orError(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

const READERS: { readonly [name: string]: (text: string) => unknown } = {
  toQueryError: (text) => toQueryError(new Error(text)),
  toDuckdbError,
  unwrapMessage,
  explainRemote: (text) => explainRemote(failed(`${text} error for HTTP GET `)),
  absentDatabase,
  isLostConnection,
  reasonOf: (text) => reasonOf(failed(text), redact),
  createRedaction: redact,
  jsonForm: (text) => orError(() => jsonForm(text)),
  patternPrice,
};

const BEGINNINGS = [
  '',
  'Conversion Error: ',
  'Binder Error: ',
  'IO Error: ',
  'Invalid Error: Failed to copy data: ',
];

const PIECES = [
  '\n',
  ' ',
  ': ',
  '"',
  ' "',
  'Catalog ',
  'Catalog "',
  'http://',
  'http://?',
  'to Postgres at "',
  '\n\nLINE 1: ',
  '\n\nLINE 1: x\n ',
  'password=',
  "pwd='",
  '\\"',
  '[',
  ', ',
];

/** The most milliseconds of processor time. A pattern of quadratic time takes many seconds, a linear one a few milliseconds. */
const MOST_MS = 1_000;

const SLOW = { timeout: 600_000 };

describe.each(Object.entries(READERS))('%s reads in little time', (_, reads) => {
  it.each(PIECES)('%j many times', SLOW, (piece) => {
    for (const beginning of BEGINNINGS) {
      const text = `${beginning}${piece.repeat(MANY)}x`;
      const begun = cpuMs();
      reads(text);
      expect(cpuMs() - begun).toBeLessThan(MOST_MS);
    }
  });
});

it('a statement of many WITH tables is read in little time', SLOW, () => {
  const names = { visible: new Set<string>(), qualifiers: new Set<string>(), internal: new Set<string>() };
  const sql = `WITH t(a) AS (SELECT 1)${', t(a) AS (SELECT 1)'.repeat(20_000)} FROM t`;
  const begun = cpuMs();
  checkRestrictedStatement(sql, names);
  expect(cpuMs() - begun).toBeLessThan(MOST_MS);
});

it('a number of many digits is read in little time', SLOW, () => {
  const zeros = '0'.repeat(MANY);
  const begun = cpuMs();
  expect(jsonForm(`[1${zeros}1, 1${zeros}, 0.${zeros}1]`)).toEqual([
    `1${zeros}1`,
    `1${zeros}`,
    `0.${zeros}1`,
  ]);
  expect(cpuMs() - begun).toBeLessThan(MOST_MS);
});

it('the names of many columns are read in little time', SLOW, () => {
  // Texts as engines return them, which the machine has not seen before.
  const nameOf = (index: number) => Buffer.from(`c${index}`).toString();
  const names = Array.from({ length: 60_000 }, (_, index) => nameOf(index));
  const equal = names.map((_, index) => nameOf(index % 10));
  const begun = cpuMs();
  expect(repeatedNames([...names, 'C1'])).toEqual(['c1']);
  expect(new Set(uniqueNames(equal)).size).toBe(equal.length);
  expect(cpuMs() - begun).toBeLessThan(MOST_MS);
});
