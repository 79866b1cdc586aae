/** A difference between the engines that is known, and why it stays. */
export interface Difference {
  /** The statements that it is about. */
  readonly of: RegExp;
  readonly reason: string;
}

/** An instant so far away that native's calendar (ICU), which counts in doubles, has no microseconds left. */
const FAR = /TIMESTAMPTZ '294247-/;

/**
 * Every known difference. One that no statement shows any more fails the test, so that the list says only what is true.
 * A user of `date_part` or `make_timestamptz` reads of them in docs/reference/engines.md.
 */
export const DIFFERENCES: readonly Difference[] = [
  {
    of: /^SELECT "(?:decade|year|era|century|millennium|isoyear|yearweek|date_part|datepart)"\(.*\(BC\)/,
    reason: 'a year before 1 is counted in its era by native, and as of a TIMESTAMP by wasm',
  },
  {
    of: /^SELECT "make_timestamptz"\(/,
    reason:
      'native carries a month or day of 0 over and counts years before 1 in their era; wasm goes by TIMESTAMP',
  },
  {
    of: /^SELECT date_sub\('month', TIMESTAMPTZ '2024-02-29/,
    reason: 'backwards over the end of a month: as of a TIMESTAMP by wasm, by whole months of ICU by native',
  },
  {
    of: /^SELECT "age"\(.*'-?infinity'/,
    reason:
      'native subtracts infinity like any other number of microseconds; wasm answers NULL, as for a TIMESTAMP',
  },
  { of: FAR, reason: 'native counts the microseconds of instants in doubles, which are too few so far away' },
  {
    of: /^SELECT "epoch"\(TIMESTAMPTZ '1969-/,
    reason: 'native adds the seconds and their fraction as doubles, which changes the last digits',
  },
  {
    of: /"(?:gamma|lgamma|pow|power|sin|cos|tan|cbrt|exp|ln|log\d*|atan2?|asin|acos|sinh|cosh|tanh|asinh|acosh|atanh)"\(|\((?:1\.79|5e-324).* (?:\*\*|\^) \(/,
    reason: 'the C library of each build rounds the last bit in its own way',
  },
  {
    of: /^SELECT "approx_quantile"\(.*'nan'::FLOAT/,
    reason: 'DuckDB reads a value that nobody has set',
  },
  {
    of: /^SELECT "reservoir_quantile"\(/,
    reason: 'chance; a quantile of NaN ends the process of the native engine',
  },
  {
    of: / Europe\/Zurich'::TIMESTAMPTZ$/,
    reason: 'a zone by name in a text is found out only when the text is read',
  },
];
