import type { ViewKind } from './config.ts';
import { shape } from './element.ts';
import { type Formats, toNumber } from './format.ts';
import type { Row } from './rows.ts';
import { alongScale, type ChartColumns, extent, scale, type TextColumns, ticksOf } from './scale.ts';

const [LEFT, RIGHT, TOP, BOTTOM] = [56, 12, 12, 36];
/** The room between the text of a label and the line that it names. */
const GAP = 6;
/** More bars than this have no room. */
export const MOST_BARS = 60;

/** The size of a chart in pixels. */
interface Size {
  readonly width: number;
  readonly height: number;
}

/** The data of a chart. */
interface Chart {
  readonly rows: readonly Row[];
  readonly columns: ChartColumns;
  readonly texts: TextColumns;
  readonly view: ViewKind;
  readonly label: string;
  readonly titleOf: (column: string) => string;
  readonly size: Size;
}

/** Draws lines, bars, areas or points. */
export function drawChart(
  { rows: all, columns, texts, view, label, titleOf, size }: Chart,
  formats: Formats,
): SVGSVGElement {
  const rows = view === 'bar' ? all.slice(0, MOST_BARS) : all;
  const { along, drawn } = columns;
  const values = drawn.flatMap((name) =>
    rows.map((row) => toNumber(row[name])).filter((y) => !Number.isNaN(y)),
  );
  const zero = view === 'bar' || view === 'area';
  const y = scale(ticksOf(extent(zero ? [0, ...values] : values)), [size.height - BOTTOM, TOP]);
  const ticks = formats.axis(y.ticks);
  const left = leftOf(ticks);
  const x = alongScale(rows, along, { view, range: [left, size.width - RIGHT], texts });
  const svg = shape('svg', { ...frameOf(size), role: 'img', 'aria-label': label });
  for (const [index, tick] of y.ticks.entries()) {
    const at = y.place(tick);
    svg.append(
      shape('line', { x1: left, x2: size.width - RIGHT, y1: at, y2: at, class: 'grid' }),
      shape('text', { x: left - GAP, y: at + 4, 'text-anchor': 'end' }, ticks[index] ?? ''),
    );
  }
  svg.append(...drawLabels(x.labels(formats), size));
  // A line goes along its axis, in whatever order the rows are.
  const placed = rows
    .map((row, index) => ({ row, at: x.place(row, index) }))
    .filter(({ at }) => !Number.isNaN(at))
    .toSorted((one, other) => one.at - other.at);
  for (const [index, name] of drawn.entries()) {
    const points = placed.map(({ row, at }): Mark => {
      const value = toNumber(row[name]);
      const tip = `${formats.text(row[along])} · ${titleOf(name)}: ${formats.number(row[name])}`;
      return Number.isNaN(value) ? null : { x: at, y: y.place(value), tip };
    });
    svg.append(
      drawSeries(view, runsOf(points), {
        index,
        many: drawn.length,
        width: x.step,
        base: y.place(Math.max(0, y.least)),
      }),
    );
  }
  return svg;
}

/** The left margin, which holds the longest label of the lines of the grid. */
function leftOf(labels: readonly string[]): number {
  return Math.max(LEFT, ...labels.map((text) => Math.ceil(widthOf(text)) + GAP + 2));
}

/** Labels below a drawing: within the frame, and none over another. */
function drawLabels(labels: readonly (readonly [text: string, at: number])[], size: Size): SVGTextElement[] {
  let free = 0;
  return labels.flatMap(([text, at]) => {
    const half = widthOf(text) / 2;
    const x = Math.max(half, Math.min(at, size.width - half));
    if (x - half < free) return [];
    free = x + half + GAP;
    return shape('text', { x, y: size.height - BOTTOM + 16, 'text-anchor': 'middle' }, text);
  });
}

/** The width of a label in pixels. */
function widthOf(text: string): number {
  const brush = document.createElement('canvas').getContext('2d');
  if (brush === null) return 0;
  brush.font = `11px ${getComputedStyle(document.body).fontFamily}`;
  return brush.measureText(text).width;
}

interface Point {
  readonly x: number;
  readonly y: number;
  readonly tip: string;
}

/** The point of a row; null for a row without a value. */
type Mark = Point | null;

/** Splits points at the rows without a value, where a line would tell of values that are not there. */
function runsOf(marks: readonly Mark[]): readonly (readonly Point[])[] {
  const runs: Point[][] = [[]];
  for (const mark of marks) {
    if (mark === null) runs.push([]);
    else runs.at(-1)?.push(mark);
  }
  return runs.filter((run) => run.length > 0);
}

interface Series {
  readonly index: number;
  readonly many: number;
  /** The room of one row. */
  readonly width: number;
  /** The place of zero, from which bars and areas begin. */
  readonly base: number;
}

function drawSeries(
  view: ViewKind,
  runs: readonly (readonly Point[])[],
  { index, many, width, base }: Series,
) {
  const group = shape('g', { class: `series s${index}` });
  const points = runs.flat();
  if (view === 'bar') {
    const each = (width * 0.8) / many;
    for (const { x, y, tip } of points) {
      const left = x - width * 0.4 + each * index;
      const bar = {
        x: left,
        y: Math.min(y, base),
        width: Math.max(each, 1),
        height: Math.abs(base - y),
        class: 'fill',
      };
      group.append(shape('rect', bar, shape('title', {}, tip)));
    }
    return group;
  }
  if (view !== 'scatter') {
    const lines = runs.map(toPath);
    const areas = runs.map((run, at) => `${lines[at]}L${run.at(-1)?.x} ${base}L${run[0]?.x} ${base}Z`);
    if (view === 'area') group.append(shape('path', { d: areas.join(''), class: 'area' }));
    group.append(shape('path', { d: lines.join(''), class: 'line' }));
  }
  // Many points would hide the line. A point without neighbours has no line.
  const isFew = view === 'scatter' || points.length <= 60;
  for (const { x, y, tip } of isFew ? points : runs.flatMap((run) => (run.length === 1 ? run : []))) {
    group.append(shape('circle', { cx: x, cy: y, r: 3, class: 'fill' }, shape('title', {}, tip)));
  }
  return group;
}

function toPath(points: readonly Point[]): string {
  return points.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('');
}

/** The attributes of a drawing whose unit is a pixel. */
function frameOf({ width, height }: Size) {
  return { viewBox: `0 0 ${width} ${height}`, width, height };
}

const LATITUDE = /^(lat|latitude|breite)$/i;
const LONGITUDE = /^(lon|lng|long|longitude|länge)$/i;

/** The columns of latitude and longitude; null without them. */
export function placeColumns(columns: readonly string[]): readonly [string, string] | null {
  const [lat, lon] = [LATITUDE, LONGITUDE].map((form) => columns.find((name) => form.test(name)));
  return lat === undefined || lon === undefined ? null : [lat, lon];
}

/** A row at its place on the earth; null for a row without one. */
export function pointOf(row: Row, [lat, lon]: readonly [string, string]) {
  const [north, east] = [toNumber(row[lat]), toNumber(row[lon])];
  return Math.abs(north) <= 90 && Math.abs(east) <= 180 ? { row, north, east } : null;
}

/** Draws points at their latitude and longitude over a net of degrees; null without such columns. It loads no tiles. */
export function drawMap(
  rows: readonly Row[],
  {
    columns,
    label,
    size,
  }: { readonly columns: readonly string[]; readonly label: string; readonly size: Size },
  formats: Formats,
): SVGSVGElement | null {
  const places = placeColumns(columns);
  if (places === null) return null;
  const [lat, lon] = places;
  const points = rows.flatMap((row) => pointOf(row, places) ?? []);
  const [south, top] = padded(extent(points.map(({ north }) => north)));
  const [west, right] = padded(extent(points.map(({ east }) => east)));
  const narrowing = Math.cos((((south + top) / 2) * Math.PI) / 180) || 1;
  const degreesOf = ([least, most]: readonly [number, number]) => {
    const ticks = ticksOf([least, most]).filter((one) => one >= least && one <= most);
    return formats.axis(ticks).map((text, index) => [`${text}°`, ticks[index] ?? 0] as const);
  };
  const [parallels, meridians] = [degreesOf([south, top]), degreesOf([west, right])];
  const left = leftOf(parallels.map(([text]) => text));
  const factor = Math.min(
    (size.width - left - RIGHT) / ((right - west) * narrowing),
    (size.height - TOP - BOTTOM) / (top - south),
  );
  const x = (east: number) => left + (east - west) * narrowing * factor;
  const y = (north: number) => size.height - BOTTOM - (north - south) * factor;
  const svg = shape('svg', { ...frameOf(size), role: 'img', 'aria-label': label });
  for (const [text, tick] of parallels) {
    svg.append(
      shape('line', { x1: left, x2: x(right), y1: y(tick), y2: y(tick), class: 'grid' }),
      shape('text', { x: left - GAP, y: y(tick) + 4, 'text-anchor': 'end' }, text),
    );
  }
  for (const [, tick] of meridians) {
    svg.append(
      shape('line', { x1: x(tick), x2: x(tick), y1: y(top), y2: size.height - BOTTOM, class: 'grid' }),
    );
  }
  svg.append(
    ...drawLabels(
      meridians.map(([text, tick]) => [text, x(tick)] as const),
      size,
    ),
  );
  const others = columns.filter((name) => name !== lat && name !== lon);
  const group = shape('g', { class: 'series s0' });
  for (const { row, north, east } of points) {
    const tip = others.map((name) => formats.text(row[name])).join(' · ');
    group.append(
      shape('circle', { cx: x(east), cy: y(north), r: 4, class: 'fill' }, shape('title', {}, tip)),
    );
  }
  svg.append(group);
  return svg;
}

function padded([least, most]: readonly [number, number]): readonly [number, number] {
  const margin = (most - least) * 0.05 || 0.5;
  return Number.isFinite(least) ? [least - margin, most + margin] : [-90, 90];
}
