import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import type { Catalog } from '../../catalog/model.ts';
import type { JsonObject } from '../../json.ts';

/** One page of a list, ready for the wire. */
export interface ListPage {
  readonly items: readonly JsonObject[];
  readonly nextCursor?: string;
}

/** The parameters of a list method. */
export const LIST_PARAMS = v.looseObject({ cursor: v.optional(v.string()) });

const PAGE_SIZE = 200;

/**
 * Returns the page of a cursor; no cursor means the first page. Throws for a cursor that this server did not issue.
 */
export type Pages = (cursor: string | undefined) => ListPage;

/** Splits a list into pages, made on first use. */
export function createPages(
  catalog: Catalog,
  items: () => readonly JsonObject[],
  size: number = PAGE_SIZE,
): Pages {
  let pages: ReadonlyMap<string, ListPage> | undefined;
  return (cursor) => {
    pages ??= toPages(catalog, items(), size);
    const page = cursor === '' ? undefined : pages.get(cursor ?? '');
    if (page !== undefined) return page;
    throw invalidParams('The cursor is not one that this server gave out.');
  };
}

/** The error for parameters that the protocol allows and this server does not. */
export function invalidParams(message: string, data?: JsonObject): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, data);
}

function toPages(
  catalog: Catalog,
  items: readonly JsonObject[],
  size: number,
): ReadonlyMap<string, ListPage> {
  const pages = new Map<string, ListPage>();
  for (let start = 0; start === 0 || start < items.length; start += size) {
    const next = start + size < items.length ? { nextCursor: toCursor(catalog, start + size) } : {};
    const cursor = start === 0 ? '' : toCursor(catalog, start);
    pages.set(cursor, { items: items.slice(start, start + size), ...next });
  }
  return pages;
}

/** Names the catalog, so that a cursor from before a reload is rejected instead of skipping items. */
function toCursor(catalog: Catalog, start: number): string {
  return `${catalog.hash.slice(0, 8)}.${start}`;
}
