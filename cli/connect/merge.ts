import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'smol-toml';
import { SvcError } from '../../src/errors.ts';
import { type DesktopClient, type Entry, OUR_KEYS, type Tree } from './clients.ts';
import { readConfigJson, readToml, writeJson, writeToml } from './formats.ts';

/** The entry of one server in a client's file. */
export interface Server {
  readonly client: DesktopClient;
  readonly name: string;
  readonly entry: Entry;
}

/** A planned change of a client's file. */
export interface MergePlan {
  readonly action: 'create' | 'update' | 'none';
  readonly text: string;
  /** The existing entry of that name, if any. */
  readonly before: Tree | null;
}

/** Plans to add an entry to a client's file. Everything else keeps its bytes; throws if that is impossible. */
export function planMerge(file: string, text: string | null, server: Server): MergePlan {
  const { client, name } = server;
  const { read, write } = FORMATS[client.format];
  const [mark, body] = splitMark(text ?? '');
  const tree = read(file, body);
  const servers = mapAt(file, tree, client.key);
  const before = Object.hasOwn(servers, name) ? mapAt(file, servers, name) : null;
  const merged = mergeEntry(before ?? {}, server);
  if (before !== null && isDeepStrictEqual(before, merged)) {
    return { action: 'none', text: text ?? '', before };
  }
  const written =
    tree[client.key] === null
      ? write(body, [client.key], { [name]: merged })
      : write(body, [client.key, name], merged);
  const expected = { ...tree, [client.key]: { ...servers, [name]: merged } };
  const found = readAgain(() => read(file, written));
  if (!isDeepStrictEqual(found, expected)) throw unmergeable(file, server);
  return { action: text === null ? 'create' : 'update', text: `${mark}${written}`, before };
}

const FORMATS = {
  json: { read: readConfigJson, write: writeJson },
  toml: { read: readToml, write: writeToml },
};

/** Splits off the byte order mark that Windows editors write. */
function splitMark(text: string): readonly [string, string] {
  return text.startsWith('\uFEFF') ? ['\uFEFF', text.slice(1)] : ['', text];
}

/** Our entry with what a person added to an earlier one, except the keys that the client refuses beside ours. */
function mergeEntry(before: Tree, { client, entry: { env, ...ours } }: Server): Tree {
  const other = ours.command === undefined ? 'stdio' : 'url';
  const dropped = [...OUR_KEYS, ...(client.onlyFor?.[other] ?? [])];
  const kept = Object.entries(before).filter(([key]) => key !== 'env' && !dropped.includes(key));
  const variables = dropped.includes('env') ? {} : { ...variablesOf(before), ...(env as Tree) };
  const hasVariables = Object.keys(variables).length > 0;
  return { ...Object.fromEntries(kept), ...ours, ...(hasVariables ? { env: variables } : {}) };
}

/** The variables that a person added: all but the user file, which we set or leave out. */
function variablesOf({ env }: Tree): Tree {
  if (typeof env !== 'object' || env === null) return {};
  return Object.fromEntries(Object.entries(env).filter(([name]) => name !== 'SVC_CONFIG'));
}

function mapAt(file: string, tree: Tree, key: string): Tree {
  const found = (Object.hasOwn(tree, key) ? tree[key] : null) ?? {};
  if (typeof found === 'object' && !Array.isArray(found)) return found as Tree;
  throw new SvcError(
    'config_invalid',
    `\`${key}\` in ${file} is not a map, so nothing can be added to it. Nothing was changed.`,
  );
}

function readAgain(read: () => Tree): Tree | null {
  try {
    return read();
  } catch {
    return null;
  }
}

function unmergeable(file: string, { client, name }: Server): SvcError {
  return new SvcError(
    'config_invalid',
    `${client.key}.${name} cannot be put into ${file} without touching the rest of it. Nothing was changed.
Write the entry by hand: \`svc connect ${client.name}\` prints it.`,
  );
}

/** The part of a client's file that describes one server, for people to copy. */
export function toSnippet({ client, name, entry }: Server): string {
  const tree = { [client.key]: { [name]: entry } };
  return client.format === 'toml' ? stringify(tree).trim() : JSON.stringify(tree, null, 2);
}
