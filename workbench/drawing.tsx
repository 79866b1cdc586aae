import { useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { EndpointCard, JsonValue } from '../cli/workbench/model.ts';
import { type DrawnView, drawFigure, type Figure, fittingViews } from '../views/figure.ts';
import { createFormats } from '../views/format.ts';
import { columnNames, toRows } from '../views/rows.ts';

const FORMATS = createFormats({});
/** More rows than this are lines rather than bars. */
const MOST_BARS = 20;

type DrawingProps = Omit<Figure, 'room' | 'titleOf' | 'names'>;

/** A drawing of rows, as clients with views show it. It is drawn anew when its place becomes wider or narrower. */
export function Drawing({ rows, texts, view, title }: DrawingProps) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current } = place;
    if (current === null) return;
    let drawn = 0;
    const draw = () => {
      if (current.clientWidth === drawn) return;
      drawn = current.clientWidth;
      const titleOf = (column: string) => column.replaceAll('_', ' ');
      const names = columnNames(rows);
      const figure = drawFigure({ rows, names, texts, view, title, titleOf, room: drawn }, FORMATS);
      current.replaceChildren(...(figure === null ? [] : [figure]));
    };
    draw();
    const observer = new ResizeObserver(draw);
    observer.observe(current);
    return () => observer.disconnect();
  }, [rows, texts, view, title]);
  return <div class="drawing" ref={place} />;
}

/** The facts about an endpoint that its results need. */
export type ResultCard = Pick<EndpointCard, 'view' | 'texts'>;

interface ChartProps {
  readonly value: JsonValue;
  readonly label: string;
  /** The endpoint, which declares a view and texts. */
  readonly endpoint: ResultCard;
}

/** Whether a value can be drawn: several rows with a column of numbers, or with places. */
export function isDrawable(value: JsonValue | undefined, { texts }: ResultCard): boolean {
  const rows = toRows(value);
  return rows.length > 1 && fittingViews(rows, new Set(texts)).length > 0;
}

/** A result as a chart, in the endpoint's own view first. */
export function ResultChart({ value, label, endpoint }: ChartProps) {
  const rows = toRows(value);
  const texts = useMemo(() => new Set(endpoint.texts), [endpoint]);
  const fitting = fittingViews(rows, texts);
  const usual = rows.length > MOST_BARS ? 'line' : 'bar';
  const first = [endpoint.view, usual].flatMap((view) => fitting.filter((one) => one === view)).at(0);
  const [chosen, choose] = useState<DrawnView | undefined>(first ?? fitting[0]);
  const id = useId();
  if (chosen === undefined) return null;
  return (
    <>
      <div class="field">
        <label for={id}>Kind of chart</label>
        <select
          id={id}
          value={chosen}
          onChange={({ currentTarget }) => choose(fitting.find((one) => one === currentTarget.value))}
        >
          {fitting.map((view) => (
            <option key={view}>{view}</option>
          ))}
        </select>
      </div>
      <Drawing rows={rows} texts={texts} view={chosen} title={label} />
    </>
  );
}
