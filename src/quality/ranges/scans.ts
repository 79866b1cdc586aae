import { isList, isObject, type JsonObject, type JsonValue } from '../../json.ts';

/** A column by which a scan skips parts of its table. */
interface SkippingColumn {
  readonly name: string;
  /** Whether it is compared for equality, as an index needs it. */
  readonly equal: boolean;
}

/** A scan of a table in a plan. */
export interface TableScan {
  readonly schema: string;
  readonly table: string;
  /** The columns that the scan reads, also those of its filters. */
  readonly columns: readonly string[];
  /** The columns of filters, of the order of the first rows, and of joins with few rows. */
  readonly skipping: readonly SkippingColumn[];
  /** The columns of filters alone, which decide whether other columns are read. */
  readonly filtered: readonly string[];
  /** The rows behind the filters, by DuckDB's estimate. */
  readonly rows: number;
  /** Whether the scan ends as soon as there are enough rows for the answer. */
  readonly stopsEarly: boolean;
  /** The number of first rows by an order. DuckDB begins with the groups that can have them. Null without such an order. */
  readonly top: number | null;
  /** The most rows whose columns are fetched one by one, after other columns decided; null for a usual scan. */
  readonly fetched: number | null;
}

/** Operators that pass rows on as they come. */
const STREAMING = new Set(['PROJECTION', 'FILTER', 'STREAMING_LIMIT', 'LIMIT']);

/** The circumstances of an operator, which the operators above it made. */
interface Above {
  /** Whether a limit above ends the scan early. */
  readonly limited: boolean;
  /** The names of columns by which operators above skip rows. */
  readonly skipping: readonly string[];
  readonly top: number | null;
  readonly fetched: number | null;
}

const NOTHING: Above = { limited: false, skipping: [], top: null, fetched: null };

/** The scans of tables in DuckDB's plan of a query that answers at most so many rows. */
export function tableScansOf(plan: JsonValue, maxRows: number): readonly TableScan[] {
  return [...scansBelow(plan, NOTHING, maxRows)];
}

function* scansBelow(node: JsonValue, above: Above, maxRows: number): Generator<TableScan> {
  if (isList(node)) for (const one of node) yield* scansBelow(one, above, maxRows);
  if (!isObject(node)) return;
  const { name, children, extra_info: facts } = node;
  const inputs = isList(children) ? children : [];
  if (!isObject(facts)) return;
  if (inputs.length === 0) yield* scanOf(facts, above);
  else if (inputs.length === 2 && facts.Conditions === 'rowid = rowid') {
    const [wide = null, chosen = null] = inputs;
    yield* scansBelow(wide, { ...NOTHING, fetched: fetchedRows(chosen, maxRows) }, maxRows);
    yield* scansBelow(chosen, above, maxRows);
  } else if (inputs.length === 2) yield* scansOfJoin(facts, inputs, maxRows);
  else yield* scansBelow(inputs, passOn(String(name), facts, above), maxRows);
}

function passOn(name: string, facts: JsonObject, above: Above): Above {
  if (name === 'STREAMING_LIMIT' || name === 'LIMIT') return { ...above, limited: true };
  if (name === 'TOP_N') {
    const order = textsOf(facts['Order By']).slice(0, 1).map(orderedColumn);
    return { ...NOTHING, skipping: order, top: Number(facts.Top) };
  }
  return STREAMING.has(name) ? above : NOTHING;
}

/** DuckDB passes the keys of a join's smaller side on to the scan of the other side. */
function* scansOfJoin(
  facts: JsonObject,
  [probed = null, built = null]: readonly JsonValue[],
  maxRows: number,
): Generator<TableScan> {
  const others = [...scansBelow(built, NOTHING, maxRows)];
  const few = others.some(({ filtered }) => filtered.length > 0);
  const keys = textsOf(facts.Conditions).map((condition) => condition.split(' = ', 1)[0] ?? '');
  yield* scansBelow(probed, { ...NOTHING, skipping: few ? keys : [] }, maxRows);
  yield* others;
}

function* scanOf(facts: JsonObject, { limited, skipping, top, fetched }: Above): Generator<TableScan> {
  const place = /^(?:(?:"(?:[^"]|"")+"|[^".]+)\.)?("(?:[^"]|"")+"|[^".]+)\.("(?:[^"]|"")+"|[^".]+)$/.exec(
    String(facts.Table ?? ''),
  );
  if (place === null) return;
  const [, schema = '', table = ''] = place.map(unquoted);
  const filters = textsOf(facts.Filters).flatMap(filterOf);
  const columns = textsOf(facts.Projections);
  yield {
    schema,
    table,
    columns: [...new Set([...columns, ...filters.map(({ name }) => name)])],
    skipping: [
      ...filters,
      ...skipping.filter((name) => columns.includes(name)).map((name) => ({ name, equal: false })),
    ],
    filtered: filters.map(({ name }) => name),
    rows: Number(facts['Estimated Cardinality'] ?? 0),
    stopsEarly: limited,
    top: filters.length === 0 ? top : null,
    fetched,
  };
}

/** The rows that a LIMIT chose, whose other columns are fetched afterwards. */
function fetchedRows(chosen: JsonValue, maxRows: number): number {
  if (!isObject(chosen) || !isObject(chosen.extra_info)) return maxRows;
  const top = Number(chosen.extra_info.Top ?? Number.NaN);
  if (!Number.isNaN(top)) return top;
  const [scan] = scansBelow(chosen, NOTHING, maxRows);
  // The first rows of a table are side by side.
  return scan === undefined || scan.filtered.length > 0 ? maxRows : 1;
}

/** `id>=3 AND id<=4` names its column first; a filter in another form skips nothing. */
function filterOf(text: string): readonly SkippingColumn[] {
  const [, name, operator] =
    /^(?:optional: )?\(?("(?:[^"]|"")+"|[^\s"=<>()!]+)\s*(=|<=|>=|<|>| IN )/.exec(text) ?? [];
  return name === undefined ? [] : [{ name: unquoted(name), equal: operator === '=' }];
}

/** `"large".main.sales.amount DESC` orders by amount. */
function orderedColumn(text: string): string {
  return unquoted(
    text
      .replace(/ (?:ASC|DESC).*$/, '')
      .split('.')
      .at(-1) ?? '',
  );
}

function unquoted(name: string | undefined): string {
  const text = name ?? '';
  return text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text;
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  const texts = isList(value) ? value : [value];
  return texts.filter((text) => typeof text === 'string' && text !== '').map(String);
}
