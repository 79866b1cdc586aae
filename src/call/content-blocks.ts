import { SvcError } from '../errors.ts';
import { isList, isObject, type JsonObject, type JsonValue } from '../json.ts';
import { MASK } from '../policy/fields.ts';

/** A block of MCP content. */
export type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource';
      readonly resource: { readonly uri: string; readonly mimeType: string } & (
        | { readonly text: string }
        | { readonly blob: string }
      );
    }
  | {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly title?: string;
      readonly description?: string;
      readonly mimeType?: string;
    };

/**
 * Turns rows into the content blocks that they describe, without those whose `uri`, `data` or other needed part a policy hid.
 * `produced` has the rows as they were before the policies. Throws result_invalid for a row that describes no block there.
 */
export function toBlocks(value: JsonValue, endpoint: string, produced: JsonValue = value): readonly Block[] {
  const [rows, before] = [value, produced].map((one) => (isList(one) ? one : []));
  return (rows ?? []).flatMap((row, index) => {
    const block = blockOf(row);
    if (block !== null) return [block];
    if (blockOf(before?.[index] ?? null) !== null) return [];
    throw new SvcError(
      'result_invalid',
      `Row ${index + 1} of ${endpoint} is no block of content. A row has \`type\` text (with \`text\`), image or audio (\`data\`, \`mime_type\`), resource (\`uri\`, \`text\` or \`data\`) or resource_link (\`uri\`). \`data\` is a BLOB.`,
    );
  });
}

const ADDRESSED = ['resource', 'resource_link'];
const TYPED = ['image', 'audio', 'resource'];

/** The block of a row; null if there is none. A mask is no address and no media type, and clients refuse it. */
function blockOf(row: JsonValue): Block | null {
  if (!isObject(row)) return null;
  const type = String(row.type);
  if (row.uri === MASK && ADDRESSED.includes(type)) return null;
  if (row.mime_type === MASK && TYPED.includes(type)) return null;
  return toBlock(row);
}

/** Turns a picture or a sound into a block; null for any other media type. */
export function toMedia(mimeType: string, data: string): Block | null {
  return toBlock({ type: mimeType.split('/')[0] ?? '', data, mime_type: mimeType }, MEDIA);
}

const MEDIA = ['image', 'audio'];

/** `data` is a BLOB in base64. */
function toBlock(row: JsonObject, types?: readonly string[]): Block | null {
  const { type, text, data, mime_type: mimeType, uri } = row;
  if (types !== undefined && !types.includes(String(type))) return null;
  switch (type) {
    case 'text':
      return typeof text === 'string' ? { type, text } : null;
    case 'image':
    case 'audio':
      return isBase64(data) && typeof mimeType === 'string' ? { type, data, mimeType } : null;
    case 'resource':
      return typeof uri === 'string' ? toEmbedded(uri, row) : null;
    case 'resource_link':
      return typeof uri === 'string' ? toLink(uri, row) : null;
    default:
      return null;
  }
}

/** Clients decode by the same function, and refuse a whole result for one block that it does not take. */
function isBase64(value: JsonValue | undefined): value is string {
  if (typeof value !== 'string') return false;
  try {
    atob(value);
    return true;
  } catch {
    return false;
  }
}

function toEmbedded(uri: string, { text, data, mime_type: mimeType }: JsonObject): Block | null {
  const type = 'resource';
  const said = typeof mimeType === 'string' ? mimeType : null;
  if (typeof text === 'string') return { type, resource: { uri, mimeType: said ?? 'text/plain', text } };
  if (!isBase64(data)) return null;
  return { type, resource: { uri, mimeType: said ?? 'application/octet-stream', blob: data } };
}

function toLink(uri: string, row: JsonObject): Block {
  const { name, title, description, mime_type: mimeType } = row;
  return {
    type: 'resource_link',
    uri,
    name: typeof name === 'string' ? name : uri,
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof mimeType === 'string' && mimeType !== MASK ? { mimeType } : {}),
  };
}
