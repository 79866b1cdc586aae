import { drawChart, drawMap, MOST_BARS, placeColumns, pointOf } from './chart.ts';
import type { ViewKind } from './config.ts';
import { element } from './element.ts';
import type { Formats } from './format.ts';
import { columnNames, type Row } from './rows.ts';
import { columnsOf, countPlaceless, type TextColumns } from './scale.ts';

/** The views that are drawings. */
const DRAWN_VIEWS = ['line', 'bar', 'area', 'scatter', 'map'] as const satisfies readonly ViewKind[];

/** A view that is a drawing. */
export type DrawnView = (typeof DRAWN_VIEWS)[number];

/** The drawings that rows fit: those with a column of numbers to draw, and a map for places. */
export function fittingViews(rows: readonly Row[], texts: TextColumns): readonly DrawnView[] {
  const names = columnNames(rows);
  return DRAWN_VIEWS.filter((view) =>
    view === 'map'
      ? placeColumns(names) !== null
      : columnsOf(rows, names, { isScatter: view === 'scatter', texts }) !== null,
  );
}

/** The rows of a drawing and the room for it. */
export interface Figure {
  readonly rows: readonly Row[];
  /** The names of the columns, in their order. */
  readonly names: readonly string[];
  readonly texts: TextColumns;
  readonly view: DrawnView;
  readonly title: string;
  readonly titleOf: (column: string) => string;
  /** The width of the place around it, in pixels. */
  readonly room: number;
}

/** Draws rows with a legend; null if they do not fit the view. Drawn anew for another width, so that its texts keep their size. */
export function drawFigure(
  { rows, names, texts, view, title, titleOf, room }: Figure,
  formats: Formats,
): HTMLElement | null {
  const label = `${title}: ${view} of ${formats.text(rows.length)} rows`;
  const size = sizeIn(room);
  if (view === 'map') {
    const [map, places] = [drawMap(rows, { columns: names, label, size }, formats), placeColumns(names)];
    if (map === null || places === null) return null;
    const lost = rows.filter((row) => pointOf(row, places) === null).length;
    return element('figure', {}, map, ...captionOf(placelessOf(lost, rows, formats)));
  }
  const columns = columnsOf(rows, names, { isScatter: view === 'scatter', texts });
  if (columns === null) return null;
  const { along, drawn, numeric } = columns;
  const legend = drawn.map((name, index) => element('span', { class: `key s${index}` }, titleOf(name)));
  const lost = view === 'bar' ? 0 : countPlaceless(rows, along, texts);
  const notes = [
    ...(view === 'bar' && rows.length > MOST_BARS
      ? [`The first ${MOST_BARS} of ${formats.text(rows.length)} rows.`]
      : []),
    ...(numeric > drawn.length ? [`The first ${drawn.length} of ${numeric} columns.`] : []),
    ...placelessOf(lost, rows, formats),
  ];
  return element(
    'figure',
    {},
    drawChart({ rows, columns, texts, view, label, titleOf, size }, formats),
    ...captionOf([...legend, notes.join(' ')]),
  );
}

function captionOf(parts: readonly (Node | string)[]): readonly HTMLElement[] {
  const shown = parts.filter((part) => part !== '');
  return shown.length === 0 ? [] : [element('figcaption', {}, ...shown)];
}

/** Says that a drawing lacks rows. */
function placelessOf(lost: number, rows: readonly Row[], formats: Formats): readonly string[] {
  return lost === 0 ? [] : [`${formats.text(lost)} of ${formats.text(rows.length)} rows have no place.`];
}

function sizeIn(room: number) {
  const width = Math.max(260, Math.min(1_200, room));
  return { width, height: Math.round(Math.max(220, Math.min(400, width * 0.5))) };
}
