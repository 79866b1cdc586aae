import * as v from 'valibot';
import type { Outcome, Runtime } from '../../call/runtime.ts';
import type { LargeResult, ToolEntry } from '../../catalog/model.ts';
import type { User } from '../../context.ts';
import { toBase64 } from '../../crypto/encoding.ts';
import type { Sealer } from '../../crypto/seal.ts';
import { isList, isObject, type JsonObject } from '../../json.ts';
import { subjectOf } from '../sessions/sessions.ts';
import { toParquet } from './parquet.ts';
import { type Table, toCsv, toTable } from './rows.ts';

/*
 * A large result: the model gets a summary and a link. The link is a sealed text that holds the call, so no server keeps
 * anything. Reading it (`resources.ts`) makes the call again for the reader, with the policies of that moment.
 */

/** The scheme of links to whole results. */
export const SCHEME = 'svc-result:';

/** Whether a URI is such a link. */
export function isResultUri(uri: string): boolean {
  return uri.startsWith(SCHEME);
}

/** Clients repeat the URI in a header, which proxies bound. */
const LONGEST_LINK = 6_000;
const ISSUER = '';

const CALL = v.object({
  tool: v.string(),
  user: v.nullable(v.string()),
  args: v.custom<JsonObject>(isObject),
});

/** The media type of each format of a whole result. */
const MEDIA_TYPES = {
  csv: 'text/csv',
  json: 'application/json',
  parquet: 'application/vnd.apache.parquet',
} as const;

/** Whether a result is above the number of rows from which its tool sends a summary. */
export function isLarge({ largeResult }: ToolEntry, { value }: Outcome): boolean {
  return largeResult !== undefined && isList(value) && value.length > largeResult.rows;
}

/** One call of a tool whose result is large. */
export interface LargeCall {
  readonly entry: ToolEntry;
  readonly large: LargeResult;
  readonly args: JsonObject;
  readonly user: User | null;
}

/** Makes the link to a whole result; null if the arguments are too long for one. */
export async function sealResult(sealer: Sealer, { entry, large, args, user }: LargeCall) {
  const call = { tool: entry.name, user: subjectOf(user), args };
  const sealed = await sealer.seal('result', ISSUER, call, large.minutes * 60);
  if (sealed.length > LONGEST_LINK) return null;
  return {
    type: 'resource_link' as const,
    uri: `${SCHEME}${sealed}`,
    name: `${entry.name}.${large.format}`,
    description: `All rows, for ${large.minutes} ${large.minutes === 1 ? 'minute' : 'minutes'}.`,
    mimeType: MEDIA_TYPES[large.format],
  };
}

/** A link that its own caller sent back. */
export interface OpenedResult {
  readonly entry: ToolEntry;
  readonly large: LargeResult;
  readonly args: JsonObject;
}

/** Opens a link; null if it is too old, not ours, of another caller, or of a tool that is not served any more. */
export async function openResult(
  { catalog }: Runtime,
  sealer: Sealer,
  { uri, user }: { readonly uri: string; readonly user: User | null },
): Promise<OpenedResult | null> {
  const call = await sealer.open('result', ISSUER, uri.slice(SCHEME.length), CALL);
  if (call === null || call.user !== subjectOf(user)) return null;
  const entry = Object.hasOwn(catalog.tools, call.tool) ? catalog.tools[call.tool] : undefined;
  const large = entry?.largeResult;
  return entry === undefined || large === undefined ? null : { entry, large, args: call.args };
}

/** The result of a link's call as the file at its URI. */
export function toFileContents(uri: string, { format }: LargeResult, outcome: Outcome) {
  const table = toTable(outcome.value, outcome.columns) ?? { columns: [], rows: [] };
  return { uri, mimeType: MEDIA_TYPES[format], ...toFile(format, table, outcome) };
}

function toFile(format: LargeResult['format'], table: Table, { text }: Outcome) {
  if (format === 'parquet') return { blob: toBase64(toParquet(table)) };
  return { text: format === 'csv' ? toCsv(table) : text };
}
