import { stringify } from 'smol-toml';
import type { Server } from './merge.ts';

/** The part of a client's file that is about one server. */
export function toSnippet({ client, name, entry }: Server): string {
  const tree = { [client.key]: { [name]: entry } };
  return client.format === 'toml' ? stringify(tree).trim() : JSON.stringify(tree, null, 2);
}
