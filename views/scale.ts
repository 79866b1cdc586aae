import type { ViewKind } from './config.ts';
import { type Formats, toClock, toNumber, toTime } from './format.ts';
import type { Row } from './rows.ts';

type Range = readonly [number, number];

const MOST_SERIES = 6;

/** The room of a label along the axis, in pixels. */
const LABEL_ROOM = 96;

/** The columns that are declared as texts. Their digits are no numbers, such as those of a postcode. */
export type TextColumns = ReadonlySet<string>;

/** Whether a column has numbers, and nothing else but empty values. */
function isNumeric(rows: readonly Row[], name: string, texts: TextColumns): boolean {
  return !texts.has(name) && hasOnly(rows, name, (value) => !Number.isNaN(toNumber(value)));
}

/** The columns of a chart: the one along the axis, and those that are drawn. */
export interface ChartColumns {
  readonly along: string;
  readonly drawn: readonly string[];
  /** The number of numeric columns. A chart draws only the first ones. */
  readonly numeric: number;
}

/** Chooses the columns of a chart; null if no column has numbers. */
export function columnsOf(
  rows: readonly Row[],
  columns: readonly string[],
  { isScatter, texts }: { readonly isScatter: boolean; readonly texts: TextColumns },
): ChartColumns | null {
  const numeric = columns.filter((name) => isNumeric(rows, name, texts));
  const [first = ''] = columns;
  const along = isScatter ? (numeric[0] ?? first) : first;
  const others = numeric.filter((name) => name !== along);
  const drawn = others.slice(0, MOST_SERIES);
  return drawn.length === 0 ? null : { along, drawn, numeric: others.length };
}

/** The way to read the times of a column, which are dates and moments or times of day; null if it has other values. */
function timeReader(rows: readonly Row[], name: string): ((value: unknown) => number) | null {
  const isPlaced = (read: typeof toTime) => rows.some((row) => !Number.isNaN(read(row[name])));
  const fits = (read: typeof toTime) =>
    hasOnly(rows, name, (value) => !Number.isNaN(read(value)) || /^-?infinity$/i.test(String(value)));
  return [toTime, toClock].find((read) => isPlaced(read) && fits(read)) ?? null;
}

/** The number of rows without a number or a time, where other rows have their place by it. */
export function countPlaceless(rows: readonly Row[], along: string, texts: TextColumns): number {
  const read = isNumeric(rows, along, texts) ? toNumber : timeReader(rows, along);
  return read === null ? 0 : rows.filter((row) => Number.isNaN(read(row[along]))).length;
}

function hasOnly(rows: readonly Row[], name: string, fits: (value: unknown) => boolean): boolean {
  const values = rows.map((row) => row[name] ?? null).filter((value) => value !== null);
  return values.length > 0 && values.every(fits);
}

/** The least and the greatest of numbers, without NaN. */
export function extent(numbers: readonly number[]): Range {
  const values = numbers.filter((value) => !Number.isNaN(value));
  const least = values.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
  const most = values.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);
  // Beside a long number, adding 1 gives the same number.
  const margin = Math.max(1, Math.abs(least) * 2 ** -40);
  return least === most ? [least - margin, most + margin] : [least, most];
}

/** About five round numbers around a range. */
export function ticksOf([least, most]: Range): readonly number[] {
  const rough = (most - least) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? rough;
  const first = Math.floor(least / step);
  const count = Math.ceil(most / step) - first + 1;
  // Only the multiples of a fraction need rounding, which would make one number of long whole ones.
  const round = Number.isInteger(step) ? Number : (value: number) => Number(value.toPrecision(12));
  return Array.from({ length: count }, (_, index) => round((first + index) * step));
}

/** Maps the range of some ticks to pixels. */
export function scale(ticks: readonly number[], [from, to]: Range) {
  const [least, most] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const place = (value: number) => from + ((value - least) / (most - least || 1)) * (to - from);
  return { ticks, least, place };
}

/** The axis along a chart. */
export interface AlongScale {
  /** The room of one row; 0 if rows have their place by a number. */
  readonly step: number;
  /** The place of a row, by its index from 0. NaN if the row has no place. */
  readonly place: (row: Row, index: number) => number;
  readonly labels: (formats: Formats) => readonly (readonly [text: string, at: number])[];
}

interface AlongOptions {
  readonly view: ViewKind;
  readonly range: Range;
  readonly texts: TextColumns;
}

/** Numbers and times have their place along the axis; all other values, and bars, have one room each. */
export function alongScale(
  rows: readonly Row[],
  along: string,
  { view, range: [from, to], texts }: AlongOptions,
): AlongScale {
  const most = Math.max(2, Math.floor((to - from) / LABEL_ROOM));
  if (view !== 'bar' && isNumeric(rows, along, texts)) {
    const x = scale(ticksOf(extent(rows.map((row) => toNumber(row[along])))), [from, to]);
    return {
      step: 0,
      place: (row) => x.place(toNumber(row[along])),
      labels: (formats) => {
        const ticks = x.ticks.filter((_, index) => index % Math.ceil(x.ticks.length / most) === 0);
        return formats.axis(ticks).map((text, index) => [text, x.place(ticks[index] ?? 0)] as const);
      },
    };
  }
  const step = (to - from) / Math.max(rows.length, 1);
  const placeOf = view === 'bar' ? null : timePlaces(rows, along);
  const place = (row: Row, index: number) =>
    placeOf === null ? from + step * (index + 0.5) : from + step / 2 + placeOf(row) * (to - from - step);
  return {
    step,
    place,
    labels: (formats) => {
      const places = rows.map((row, index) => [row, place(row, index)] as const);
      const shown = spread(places, (to - from) / most);
      return formats
        .along(shown.map(([row]) => row[along]))
        .map((text, index) => [text, shown[index]?.[1] ?? 0] as const);
    },
  };
}

/** The place of each time between the first, at 0, and the last, at 1; null for a column without times. */
function timePlaces(rows: readonly Row[], along: string): ((row: Row) => number) | null {
  const read = timeReader(rows, along);
  if (read === null) return null;
  const [first, last] = extent(rows.map((row) => read(row[along])));
  return (row) => (read(row[along]) - first) / (last - first);
}

/** The rows, in the order of their places, that have this room to the one before. */
function spread(
  places: readonly (readonly [Row, number])[],
  room: number,
): readonly (readonly [Row, number])[] {
  const ordered = places.filter(([, at]) => !Number.isNaN(at)).toSorted(([, one], [, other]) => one - other);
  let free = Number.NEGATIVE_INFINITY;
  return ordered.filter(([, at]) => {
    if (at < free) return false;
    // Sums of fractions differ in the last digits.
    free = at + room - 0.01;
    return true;
  });
}
