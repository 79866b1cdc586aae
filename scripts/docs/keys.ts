import type { GenericSchema } from 'valibot';
import { nodeOf, type SchemaNode } from '../../src/settings/schema/node.ts';

/** One key of a file as its schema has it. */
export interface SchemaKey {
  /** With `<name>` for names of the author's choice and `[]` for the items of a list. */
  readonly key: string;
  readonly type: string;
  readonly hidden: boolean;
}

/** The placeholders for names that the author chooses, by the key before them. */
const NAMES: Readonly<Record<string, string>> = {
  projects: '<project>',
  profiles: '<profile>',
  models: '<name>',
  config: '<plugin>',
};

/** Every key of a schema, in its order. */
export function keysOf(schema: GenericSchema, key = '', hidden = false): readonly SchemaKey[] {
  const node = nodeOf(schema);
  const within = hidden || node.hidden;
  if (node.kind === 'leaf') return [{ key, type: typeOf(node), hidden: within }];
  if (node.kind === 'list') return keysOf(node.item, `${key}[]`, within);
  const own = Object.entries(node.entries).flatMap(([name, entry]) =>
    keysOf(entry, key === '' ? name : `${key}.${name}`, within),
  );
  const last = key.split('.').at(-1) ?? '';
  const free = node.values ? keysOf(node.values, `${key}.${NAMES[last] ?? '<name>'}`, within) : [];
  return [...own, ...free];
}

function typeOf(node: Extract<SchemaNode, { readonly kind: 'leaf' }>): string {
  if (node.type === 'choice') return node.words.map((word) => `\`${word}\``).join(', ');
  if (node.words.length > 0) return node.words.join(', ');
  return node.type === 'any' ? 'text, number, boolean or map' : node.type;
}
