import type { ViewKind } from '../project/model.ts';
import type { TypeNode } from '../types/node.ts';

const LATITUDE = /^(lat|latitude)$/i;
const LONGITUDE = /^(lon|lng|long|longitude)$/i;
const TIMES: readonly (string | undefined)[] = ['date', 'date-time', 'timestamp', 'time'];

/** Chooses the view of a result by its declared type; a result without one is a table. */
export function chooseView(returns: TypeNode | null): ViewKind {
  if (returns === null) return 'table';
  if (isNumeric(returns)) return 'number';
  const columns = columnsOf(returns);
  const numeric = columns.filter(([, node]) => isNumeric(node));
  if (returns.type === 'object') {
    return columns.length > 0 && numeric.length === columns.length ? 'number' : 'table';
  }
  if (hasPlaces(returns)) return 'map';
  const [first] = columns;
  if (first === undefined || columns.length - numeric.length > 1) return 'table';
  const [, along] = first;
  if (isNumeric(along)) return columns.length === 2 && numeric.length === 2 ? 'scatter' : 'table';
  if (along.type !== 'string' || numeric.length === 0) return 'table';
  return TIMES.includes(along.format) ? 'line' : 'bar';
}

/** Describes why a declared result does not fit a view; null if it fits, or nothing is declared. */
export function viewProblem(view: ViewKind, returns: TypeNode | null): string | null {
  if (returns === null || view === 'table') return null;
  const columns = columnsOf(returns);
  const numeric = isNumeric(returns) || columns.some(([, node]) => isNumeric(node));
  if (view === 'number') return numeric ? null : 'needs a number in `return`.';
  if (returns.type !== 'array') return 'needs a `return` of type array.';
  // An array without declared properties may have any columns.
  if (columns.length === 0) return null;
  if (view === 'map')
    return hasPlaces(returns) ? null : 'needs the columns `latitude` and `longitude`, or `lat` and `lon`.';
  const drawn = columns.filter(([, node], index) => isNumeric(node) && (index > 0 || view === 'scatter'));
  return drawn.length >= (view === 'scatter' ? 2 : 1)
    ? null
    : 'needs a column of numbers after the first column.';
}

/** The columns of a result, or of its items. */
export function columnsOf({ type, items, properties }: TypeNode): readonly (readonly [string, TypeNode])[] {
  return Object.entries((type === 'array' ? items?.properties : properties) ?? {});
}

/** The columns of a result that are declared as texts. */
export function textColumns(returns: TypeNode | null): readonly string[] {
  const columns = returns === null ? [] : columnsOf(returns);
  return columns.flatMap(([name, { type }]) => (type === 'string' ? [name] : []));
}

function hasPlaces(returns: TypeNode): boolean {
  const names = columnsOf(returns).map(([name]) => name);
  return [LATITUDE, LONGITUDE].every((form) => names.some((name) => form.test(name)));
}

function isNumeric({ type }: TypeNode): boolean {
  return type === 'number' || type === 'integer';
}
