import { type Block, toMedia } from '../../call/content-blocks.ts';
import type { Outcome, Truncation } from '../../call/runtime.ts';
import type { ToolEntry } from '../../catalog/model.ts';
import type { SvcError } from '../../errors.ts';
import { isList, isObject, type JsonValue } from '../../json.ts';
import { type Era, isWrapped } from '../era.ts';
import { failureText } from '../errors.ts';
import { toCsv, toMarkdownTable, toTable } from './rows.ts';
import { MOST_CHARACTERS, shortenText, summarize } from './summary.ts';

/** The `_meta` key that tells programs about a cut; `structuredContent` keeps the shape of `outputSchema`. */
export const TRUNCATED_META_KEY = 'svc-kit/truncated';

/** The `_meta` key that gives a view the order of the columns, if objects cannot keep it. */
const COLUMNS_META_KEY = 'svc-kit/columns';

/** The text that tells people and models about a cut. */
export function truncationText({ reason, hint }: Truncation): string {
  return `Truncated (${reason}). ${hint}`;
}

const text = (value: string) => ({ type: 'text', text: value }) as const;

/** Turns the answer of a tool into a `tools/call` result of the era. */
export function toCallResult(entry: ToolEntry, outcome: Outcome, era: Era) {
  const { truncated } = outcome;
  const blocks = blocksOf(entry, outcome);
  const content = blocks ?? [text(toText(entry, outcome))];
  const isStructured = blocks === null && entry.format === undefined;
  const structured = isStructured ? { structuredContent: toStructured(entry, outcome.value, era) } : {};
  if (truncated === null) return { content: [...content], ...structured };
  return {
    content: [...content, text(truncationText(truncated))],
    ...structured,
    _meta: { [TRUNCATED_META_KEY]: { ...truncated } },
  };
}

/** The content blocks of a tool that declares content; null for a tool that returns a value. */
function blocksOf({ mimeType }: ToolEntry, { blocks, binary, value }: Outcome): readonly Block[] | null {
  if (blocks !== undefined) return blocks;
  const media = binary ? toMedia(mimeType ?? '', String(value)) : null;
  return media === null ? null : [media];
}

/** The rows that a client gets of a large result, in the shape of `outputSchema`. */
const FIRST_ROWS = 5;

/** Turns a large result into a summary with a link to all rows; null for a link that would be too long. */
export function toLargeResult(
  entry: ToolEntry,
  outcome: Outcome,
  { era, link }: { era: Era; link: Block | null },
) {
  const rows = isList(outcome.value) ? outcome.value : [];
  const table = toTable(rows, outcome.columns) ?? { columns: [], rows: [] };
  const summary = summarize(table, { atLeast: outcome.truncated !== null });
  const hint =
    link === null ? NO_LINK : `Read ${link.type === 'resource_link' ? link.uri : ''} for all rows.`;
  const meta = { reason: 'rows', limit: FIRST_ROWS, hint };
  const first = rows.slice(0, FIRST_ROWS);
  return {
    content: [text(link === null ? `${summary}\n${NO_LINK}` : summary), ...(link === null ? [] : [link])],
    ...(entry.format === undefined ? { structuredContent: toStructured(entry, first, era) } : {}),
    _meta: { [TRUNCATED_META_KEY]: meta },
  };
}

/**
 * Turns a result into that of a client with views: the view gets all rows as `structuredContent`, which the host keeps from the
 * model, and the model gets a short text.
 */
export function toViewedResult(
  entry: ToolEntry,
  outcome: Outcome,
  { era, link }: { era: Era; link: Block | null },
) {
  const { value, truncated, columns } = outcome;
  const table = toTable(value, columns);
  const own = toText(entry, outcome);
  const isSummarized = table !== null && own.length > MOST_CHARACTERS;
  const words = isSummarized ? summarize(table, { atLeast: truncated !== null }) : shortenText(own);
  const note = truncated === null ? [] : [text(truncationText(truncated))];
  const meta = {
    ...(truncated === null ? {} : { [TRUNCATED_META_KEY]: { ...truncated } }),
    ...(columns === undefined ? {} : orderOf(value, columns)),
  };
  return {
    content: [text(`${words}\n${SHOWN}`), ...(link === null ? [] : [link]), ...note],
    structuredContent: toStructured(entry, value, era),
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
  };
}

/** The order of the columns of a value; empty if that of its keys is the same. */
function orderOf(value: JsonValue, columns: readonly string[]) {
  const [names = [], keys = []] = [toTable(value, columns), toTable(value)].map((table) => table?.columns);
  return names.some((name, index) => name !== keys[index]) ? { [COLUMNS_META_KEY]: names } : {};
}

const SHOWN = 'The user sees the result in a view.';

const NO_LINK = 'The arguments are too long for a link to all rows. Narrow them, or ask for less at a time.';

/** The value as text, in the form that the tool declares. */
function toText({ format }: ToolEntry, { value, text: json, truncated, columns }: Outcome): string {
  const table = format === undefined || format === 'json' ? null : toTable(value, columns);
  if (table === null) return json;
  // Models' APIs refuse a text without characters.
  if (table.rows.length === 0) return truncated === null ? 'No rows.' : 'No row is shown.';
  if (table.columns.length === 0) return json;
  return format === 'csv' ? toCsv(table, '\n').slice(0, -1) : toMarkdownTable(table);
}

function toStructured(entry: ToolEntry, value: JsonValue, era: Era): unknown {
  if (era === 'modern') return value;
  return isWrapped(entry, era) || !isObject(value) ? { result: value } : value;
}

/** The result of a failed call. */
export function toErrorResult(error: SvcError, requestId: string) {
  return { content: [text(failureText(error, requestId))], isError: true };
}

/** The content of a resource and the URI that was requested. */
export interface Reading {
  readonly uri: string;
  readonly mimeType: string;
  readonly outcome: Outcome;
}

/** Rows as the table that a media type means; null for other values and other media types. */
function toTableText(mimeType: string, { value, columns }: Outcome): string | null {
  const format = TABLE_TYPE.exec(mimeType)?.[1]?.toLowerCase();
  const table = format === undefined ? null : toTable(value, columns);
  if (table === null) return null;
  if (table.columns.length === 0) return table.rows.length === 0 ? '' : null;
  return format === 'csv' ? toCsv(table) : toMarkdownTable(table);
}

const TABLE_TYPE = /^text\/(csv|markdown)(?=\s*(?:;|$))/i;

/** Turns the content of a resource into the form of `resources/read` and of embedded resources. */
export function toContents({ uri, mimeType, outcome }: Reading) {
  const { truncated } = outcome;
  const body = outcome.binary
    ? { blob: String(outcome.value) }
    : { text: toTableText(mimeType, outcome) ?? outcome.text };
  const meta = truncated === null ? {} : { _meta: { [TRUNCATED_META_KEY]: { ...truncated } } };
  return { uri, mimeType, ...body, ...meta };
}
