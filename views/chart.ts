import type { ViewKind } from './config.ts';
import { shape } from './element.ts';
import { type Formats, toNumber } from './format.ts';
import type { Row } from './rows.ts';

const [LEFT, RIGHT, TOP, BOTTOM] = [56, 12, 12, 36];
const MOST_SERIES = 6;
/** The room of a label along the axis, in pixels. */
const LABEL_ROOM = 96;
/** More bars than this have no room. */
export const MOST_BARS = 60;

/** The size of a chart in pixels. */
interface Size {
  readonly width: number;
  readonly height: number;
}

/** The columns of a chart: the one along the axis, and those that are drawn. */
interface ChartColumns {
  readonly along: string;
  readonly drawn: readonly string[];
}

/** Chooses the columns of a chart; null if no column has numbers. */
export function columnsOf(
  rows: readonly Row[],
  columns: readonly string[],
  isScatter: boolean,
): ChartColumns | null {
  const numeric = columns.filter((name) => isNumeric(rows, name));
  const [first = ''] = columns;
  const along = isScatter ? (numeric[0] ?? first) : first;
  const drawn = numeric.filter((name) => name !== along).slice(0, MOST_SERIES);
  return drawn.length === 0 ? null : { along, drawn };
}

function isNumeric(rows: readonly Row[], name: string): boolean {
  const values = rows.map((row) => row[name]).filter((value) => value !== null && value !== undefined);
  return values.length > 0 && values.every((value) => !Number.isNaN(toNumber(value)));
}

/** The data of a chart. */
interface Chart {
  readonly rows: readonly Row[];
  readonly columns: ChartColumns;
  readonly view: ViewKind;
  readonly label: string;
  readonly titleOf: (column: string) => string;
  readonly size: Size;
}

/** Draws lines, bars, areas or points. */
export function drawChart(
  { rows: all, columns, view, label, titleOf, size }: Chart,
  formats: Formats,
): SVGSVGElement {
  const rows = view === 'bar' ? all.slice(0, MOST_BARS) : all;
  const { along, drawn } = columns;
  const values = drawn.flatMap((name) =>
    rows.map((row) => toNumber(row[name])).filter((y) => !Number.isNaN(y)),
  );
  const zero = view === 'bar' || view === 'area';
  const y = scale(ticksOf(extent(zero ? [0, ...values] : values)), [size.height - BOTTOM, TOP]);
  const x = alongScale(rows, along, { view, width: size.width });
  const svg = shape('svg', { ...frameOf(size), role: 'img', 'aria-label': label });
  for (const tick of y.ticks) {
    const at = y.place(tick);
    svg.append(
      shape('line', { x1: LEFT, x2: size.width - RIGHT, y1: at, y2: at, class: 'grid' }),
      shape('text', { x: LEFT - 6, y: at + 4, 'text-anchor': 'end' }, formats.axis(tick)),
    );
  }
  for (const [text, at] of x.labels(formats)) {
    svg.append(shape('text', { x: at, y: size.height - BOTTOM + 16, 'text-anchor': 'middle' }, text));
  }
  for (const [index, name] of drawn.entries()) {
    const points = rows.flatMap((row, at): readonly Point[] => {
      const value = toNumber(row[name]);
      const tip = `${formats.text(row[along])} · ${titleOf(name)}: ${formats.text(row[name])}`;
      return Number.isNaN(value) ? [] : [{ x: x.place(row, at), y: y.place(value), tip }];
    });
    svg.append(
      drawSeries(view, points, {
        index,
        many: drawn.length,
        width: x.step,
        base: y.place(Math.max(0, y.least)),
      }),
    );
  }
  return svg;
}

interface Point {
  readonly x: number;
  readonly y: number;
  readonly tip: string;
}

interface Series {
  readonly index: number;
  readonly many: number;
  /** The room of one row. */
  readonly width: number;
  /** The place of zero, from which bars and areas begin. */
  readonly base: number;
}

function drawSeries(view: ViewKind, points: readonly Point[], { index, many, width, base }: Series) {
  const group = shape('g', { class: `series s${index}` });
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
    const line = points
      .map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`)
      .join('');
    const [first, last] = [points[0], points.at(-1)];
    if (view === 'area' && first && last) {
      group.append(shape('path', { d: `${line}L${last.x} ${base}L${first.x} ${base}Z`, class: 'area' }));
    }
    group.append(shape('path', { d: line, class: 'line' }));
  }
  // Many points would hide the line.
  if (view === 'scatter' || points.length <= 60) {
    for (const { x, y, tip } of points) {
      group.append(shape('circle', { cx: x, cy: y, r: 3, class: 'fill' }, shape('title', {}, tip)));
    }
  }
  return group;
}

/** The attributes of a drawing whose unit is a pixel. */
function frameOf({ width, height }: Size) {
  return { viewBox: `0 0 ${width} ${height}`, width, height };
}

function extent(values: readonly number[]): readonly [number, number] {
  const least = values.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
  const most = values.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);
  return least === most ? [least - 1, most + 1] : [least, most];
}

/** About five round numbers around a range. */
function ticksOf([least, most]: readonly [number, number]): readonly number[] {
  const rough = (most - least) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? rough;
  const first = Math.floor(least / step);
  const count = Math.ceil(most / step) - first + 1;
  return Array.from({ length: count }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

function scale(ticks: readonly number[], [from, to]: readonly [number, number]) {
  const [least, most] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const place = (value: number) => from + ((value - least) / (most - least || 1)) * (to - from);
  return { ticks, least, place };
}

/** Numbers have their place along the axis; all other values have one room each. */
function alongScale(
  rows: readonly Row[],
  along: string,
  { view, width }: { readonly view: ViewKind; readonly width: number },
) {
  const [from, to] = [LEFT, width - RIGHT];
  const most = Math.max(2, Math.floor((to - from) / LABEL_ROOM));
  if (view !== 'bar' && isNumeric(rows, along)) {
    const x = scale(ticksOf(extent(rows.map((row) => toNumber(row[along])))), [from, to]);
    return {
      step: 0,
      place: (row: Row, _: number) => x.place(toNumber(row[along])),
      labels: (formats: Formats) =>
        x.ticks
          .filter((_, index) => index % Math.ceil(x.ticks.length / most) === 0)
          .map((tick) => [formats.axis(tick), x.place(tick)] as const),
    };
  }
  const step = (to - from) / Math.max(rows.length, 1);
  const place = (_: Row, index: number) => from + step * (index + 0.5);
  const every = Math.max(1, Math.ceil(rows.length / most));
  return {
    step,
    place,
    labels: (formats: Formats) =>
      rows.flatMap((row, index) =>
        index % every === 0 ? [[shorten(formats.text(row[along])), place(row, index)] as const] : [],
      ),
  };
}

function shorten(text: string): string {
  return text.length > 12 ? `${text.slice(0, 11)}…` : text;
}

const LATITUDE = /^(lat|latitude|breite)$/i;
const LONGITUDE = /^(lon|lng|long|longitude|länge)$/i;

/** The columns of latitude and longitude; null without them. */
export function placeColumns(columns: readonly string[]): readonly [string, string] | null {
  const [lat, lon] = [LATITUDE, LONGITUDE].map((form) => columns.find((name) => form.test(name)));
  return lat === undefined || lon === undefined ? null : [lat, lon];
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
  const points = rows
    .map((row) => ({ row, north: toNumber(row[lat]), east: toNumber(row[lon]) }))
    .filter(({ north, east }) => Math.abs(north) <= 90 && Math.abs(east) <= 180);
  const [south, top] = padded(extent(points.map(({ north }) => north)));
  const [west, right] = padded(extent(points.map(({ east }) => east)));
  const narrowing = Math.cos((((south + top) / 2) * Math.PI) / 180) || 1;
  const factor = Math.min(
    (size.width - LEFT - RIGHT) / ((right - west) * narrowing),
    (size.height - TOP - BOTTOM) / (top - south),
  );
  const x = (east: number) => LEFT + (east - west) * narrowing * factor;
  const y = (north: number) => size.height - BOTTOM - (north - south) * factor;
  const svg = shape('svg', { ...frameOf(size), role: 'img', 'aria-label': label });
  for (const tick of ticksOf([south, top]).filter((one) => one >= south && one <= top)) {
    svg.append(
      shape('line', { x1: LEFT, x2: x(right), y1: y(tick), y2: y(tick), class: 'grid' }),
      shape('text', { x: LEFT - 6, y: y(tick) + 4, 'text-anchor': 'end' }, `${formats.axis(tick)}°`),
    );
  }
  for (const tick of ticksOf([west, right]).filter((one) => one >= west && one <= right)) {
    svg.append(
      shape('line', { x1: x(tick), x2: x(tick), y1: y(top), y2: size.height - BOTTOM, class: 'grid' }),
      shape(
        'text',
        { x: x(tick), y: size.height - BOTTOM + 16, 'text-anchor': 'middle' },
        `${formats.axis(tick)}°`,
      ),
    );
  }
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
