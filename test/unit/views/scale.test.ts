import { describe, expect, it } from 'vitest';
import { createFormats } from '../../../views/format.ts';
import { alongScale, columnsOf, countPlaceless, extent, ticksOf } from '../../../views/scale.ts';

const FORMATS = createFormats({ locale: 'en-US', timeZone: 'UTC' });
const rowsOf = (values: readonly unknown[]) => values.map((at) => ({ at }));

const NONE: ReadonlySet<string> = new Set();

function scaleOf(values: readonly unknown[], view: 'line' | 'bar' = 'line', texts = NONE) {
  const rows = rowsOf(values);
  const { place, labels } = alongScale(rows, 'at', { view, range: [0, 1_000], texts });
  return { places: rows.map(place), labels: labels(FORMATS).map(([text]) => text) };
}

describe('the axis along a chart', () => {
  // Requirements: view.kinds
  it('gives a time its place, so that equal distances are equal times', () => {
    const { places, labels } = scaleOf(['2024-01-01', '2024-01-02', '2024-01-11', null]);
    const [first = 0, second = 0, last = 0, none] = places;
    expect((second - first) / (last - first)).toBeCloseTo(0.1);
    expect([first, last]).toEqual([125, 875]);
    expect(none).toBeNaN();
    expect(labels).toEqual(['Jan 1, 2024', 'Jan 11, 2024']);
  });

  // Requirements: view.kinds
  it('gives times of a day their places', () => {
    const [first = 0, second = 0, last = 0] = scaleOf(['08:00:00', '08:05:00', '20:00:00.5']).places;
    expect((last - first) / (second - first)).toBeCloseTo(144, 1);
    expect(scaleOf(['08:00:00', '08:05:00']).labels).toEqual(['08:00:00', '08:05:00']);
    expect(scaleOf(['08:00:00', '2024-01-01', '20:00:00']).places.map(Math.round)).toEqual([167, 500, 833]);
  });

  // Requirements: view.kinds, view.cut
  it('gives infinity among dates no place, and keeps the distances of the others', () => {
    const values = ['2024-01-01', '2024-01-02', '2024-01-31', 'infinity', '-infinity'];
    const [first = 0, second = 0, last = 0, ...none] = scaleOf(values).places;
    expect((last - first) / (second - first)).toBeCloseTo(30);
    expect(none).toEqual([Number.NaN, Number.NaN]);
    expect(countPlaceless(rowsOf(values), 'at', NONE)).toBe(2);
    expect(countPlaceless(rowsOf(['infinity', 'infinity']), 'at', NONE)).toBe(0);
  });

  it('gives rows at equal distances the places of any rows', () => {
    const [days, texts] = [scaleOf(['2024-01-01', '2024-01-02', '2024-01-03']), scaleOf(['a', 'b', 'c'])];
    expect(days.places.map(Math.round)).toEqual(texts.places.map(Math.round));
    expect(scaleOf(['2024-01-01']).places).toEqual([500]);
  });

  it('gives bars and texts a room each', () => {
    expect(scaleOf(['2024-01-01', '2024-01-11', null, 'x']).places).toEqual([125, 375, 625, 875]);
    expect(scaleOf(['2024-01-01', '2024-01-02', '2024-01-11', null], 'bar').places).toEqual([
      125, 375, 625, 875,
    ]);
  });

  // Without the check, one empty value put every point out of the frame.
  it('takes empty values among numbers for rows without a place', () => {
    const { places } = scaleOf([10, null, 20]);
    expect(places[0]).toBeGreaterThanOrEqual(0);
    expect(places[1]).toBeNaN();
    expect(places[2]).toBeLessThanOrEqual(1_000);
  });

  it('counts the rows without a place, if others have theirs by their value', () => {
    expect(
      [[1, null, 2], ['2024-01-01', null], ['a', null], [null]].map((values) =>
        countPlaceless(rowsOf(values), 'at', NONE),
      ),
    ).toEqual([1, 1, 0, 0]);
  });
});

describe('a column that is declared as text', () => {
  const texts = new Set(['zip', 'at']);
  const rows = [
    { shop: 'A', zip: '01042', total: '1.50', day: '2024-01-01' },
    { shop: 'B', zip: '99999', total: '2', day: '2024-01-02' },
  ];
  const columns = ['shop', 'zip', 'total', 'day'];

  // Requirements: view.kinds
  it('is not drawn, although it has digits only', () => {
    expect(columnsOf(rows, columns, { isScatter: false, texts })?.drawn).toEqual(['total']);
    expect(columnsOf(rows, columns, { isScatter: false, texts: NONE })?.drawn).toEqual(['zip', 'total']);
    expect(columnsOf(rows, ['shop', 'zip'], { isScatter: false, texts })).toBeNull();
    expect(columnsOf(rows, ['zip', 'total'], { isScatter: true, texts })).toBeNull();
  });

  it('gives each row a room, not a place by its digits', () => {
    expect(scaleOf(['01042', '99999', '01043'], 'line', texts).places.map(Math.round)).toEqual([
      167, 500, 833,
    ]);
    expect(countPlaceless(rowsOf(['01042', null]), 'at', texts)).toBe(0);
  });
});

describe('the range of an axis', () => {
  it('has round numbers around its values', () => {
    expect(ticksOf(extent([3, Number.NaN, 97]))).toEqual([0, 50, 100]);
    expect(ticksOf(extent([5, 5]))).toEqual([4, 4.5, 5, 5.5, 6]);
    expect(ticksOf(extent([0.1, 0.4]))).toEqual([0.1, 0.2, 0.3, 0.4]);
  });

  it.each([2 ** 53, 2 ** 60, -1e300])(
    'has the value %d within it, though a double beside it is the same',
    (value) => {
      const ticks = ticksOf(extent([value, value]));
      expect([ticks.length > 1, (ticks[0] ?? 0) < value, (ticks.at(-1) ?? 0) > value]).toEqual([
        true,
        true,
        true,
      ]);
    },
  );

  it('is exact for long numbers, which lay outside of the frame otherwise', () => {
    const ticks = ticksOf(extent([1_700_000_000_000_001, 1_700_000_000_000_040]));
    expect([ticks[0], ticks.at(-1)]).toEqual([1_700_000_000_000_000, 1_700_000_000_000_040]);
    expect(scaleOf([1_700_000_000_000_001, 1_700_000_000_000_040]).places.every((at) => at <= 1_000)).toBe(
      true,
    );
  });
});
