import { CLIENT_CAPABILITIES_META_KEY } from '@modelcontextprotocol/server';
import { isObject } from '../json.ts';
import type { Caller } from './context.ts';
import { hasOnly, type PlainRequest, toResponseText } from './plain.ts';
import { showsViews } from './views/views.ts';

/** A list that was asked for. It is the same for all callers with the same scopes whose clients show views or not, as long as its catalog is served. */
export interface KeptList {
  /** The JSON-RPC response; null until the MCP SDK has answered such a request once. */
  readonly answer: string | null;
  /** Keeps the result of the SDK's response, if it has one. */
  keep(response: unknown): void;
}

/** Finds the list that a plain request asks for; null for any other request. */
export type FindList = (request: PlainRequest, caller: Caller) => KeptList | null;

const LISTS: ReadonlySet<string> = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'skills/list',
  'server/discover',
]);
const PARAMS_KEYS: ReadonlySet<string> = new Set(['cursor', '_meta']);
/** The most characters of all kept lists and of the requests that found them. Beyond it, all are dropped. */
const MOST_CHARACTERS = 16 * 1024 * 1024;

/** Keeps the lists of one catalog as the text that goes to clients, because writing a long one takes milliseconds. */
export function createKeptLists(): FindList {
  const kept = new Map<string, string>();
  let characters = 0;
  const keep = (key: string, result: string) => {
    const size = key.length + result.length;
    if (characters + size > MOST_CHARACTERS) {
      kept.clear();
      characters = 0;
    }
    characters += size;
    kept.set(key, result);
  };
  return (request, { grant }) => {
    const { era, method, params, meta } = request;
    if (!LISTS.has(method) || !hasOnly(params, PARAMS_KEYS)) return null;
    const { cursor } = params;
    if (cursor !== undefined && typeof cursor !== 'string') return null;
    const views = showsViews(meta?.[CLIENT_CAPABILITIES_META_KEY]);
    // `server/discover` has no pages and takes any cursor: as a part of the key, it would keep each text that a client invents.
    const page = method === 'server/discover' ? undefined : cursor;
    const key = JSON.stringify([era, method, page, grant?.scopes.toSorted(), views]);
    const result = kept.get(key);
    return {
      answer: result === undefined ? null : toResponseText(request, result),
      keep: (response) => {
        if (result === undefined && isObject(response) && isObject(response.result)) {
          keep(key, JSON.stringify(response.result));
        }
      },
    };
  };
}
