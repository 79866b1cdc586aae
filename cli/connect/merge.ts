import { isDeepStrictEqual } from 'node:util';
import { SvcError } from '../../src/errors.ts';
import type { Client, Entry, Tree } from './clients.ts';
import { OUR_KEYS } from './clients.ts';
import { readJson, writeJson } from './json.ts';
import { readToml, writeToml } from './toml.ts';

/** The entry of one server in a client's file. */
export interface Server {
  readonly client: Client;
  readonly name: string;
  readonly entry: Entry;
}

/** A client's file as it is to be. */
export interface Plan {
  readonly action: 'create' | 'update' | 'none';
  readonly text: string;
  /** The entry that is there under the name, if any. */
  readonly before: Tree | null;
}

/** Brings an entry into a client's file; what is not about it stays as it is, byte for byte or the file is refused. */
export function planMerge(file: string, text: string | null, server: Server): Plan {
  const { client, name, entry } = server;
  const read = client.format === 'json' ? readJson : readToml;
  const tree = read(file, text ?? '');
  const servers = mapAt(file, tree, client.key);
  const found = servers[name];
  const before = found === undefined ? null : mapAt(file, servers, name);
  const merged = { ...foreignPart(before), ...entry, ...mergedEnv(before, entry) };
  if (before !== null && isDeepStrictEqual(before, merged))
    return { action: 'none', text: text ?? '', before };
  const write = client.format === 'json' ? writeJson : writeToml;
  const written = write(text ?? '', [client.key, name], merged);
  const expected = { ...tree, [client.key]: { ...servers, [name]: merged } };
  if (
    !isDeepStrictEqual(
      readAgain(() => read(file, written)),
      expected,
    )
  )
    throw unmergeable(file, server);
  return { action: text === null ? 'create' : 'update', text: written, before };
}

function foreignPart(before: Tree | null): Tree {
  return Object.fromEntries(Object.entries(before ?? {}).filter(([key]) => !OUR_KEYS.includes(key)));
}

/** Variables that a person added stay. */
function mergedEnv(before: Tree | null, { env }: Entry): Tree {
  const own = before?.env;
  if (typeof own !== 'object' || own === null || env === undefined) return {};
  return { env: { ...own, ...(env as Tree) } };
}

function mapAt(file: string, tree: Tree, key: string): Tree {
  const found = tree[key] ?? {};
  if (typeof found === 'object' && !Array.isArray(found)) return found as Tree;
  throw new SvcError(
    'config_invalid',
    `\`${key}\` in ${file} is no map, so that nothing can be added. Nothing was changed.`,
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
