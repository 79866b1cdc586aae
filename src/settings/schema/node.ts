import * as v from 'valibot';
import type { Path } from '../../project/yaml/position.ts';

/** A schema as data: its keys and the kind of its values. */
export type SchemaNode = {
  /** Whether the value must never be shown. */
  readonly hidden: boolean;
  /** Whether an artefact may contain the value literally although it is hidden. */
  readonly bundled: boolean;
} & (
  | {
      readonly kind: 'map';
      readonly entries: { readonly [key: string]: v.GenericSchema };
      /** The schema under keys of the author's choice. */
      readonly values: v.GenericSchema | null;
    }
  | { readonly kind: 'list'; readonly item: v.GenericSchema }
  | { readonly kind: 'leaf'; readonly type: LeafType; readonly words: readonly string[] }
);

type LeafType = 'text' | 'address' | 'number' | 'boolean' | 'choice' | 'any';

type Parts = v.GenericSchema & {
  readonly wrapped?: v.GenericSchema;
  readonly item?: v.GenericSchema;
  readonly options?: readonly string[];
  readonly literal?: unknown;
  readonly pipe?: readonly (v.GenericSchema & { readonly kind: string })[];
};

/** Describes a schema as data. */
export function nodeOf(schema: v.GenericSchema): SchemaNode {
  const parts: Parts = schema;
  if (parts.wrapped) return nodeOf(parts.wrapped);
  const { entries, values, hidden = false, bundled = false, kind } = metadataOf(parts);
  const marks = { hidden, bundled };
  if (entries || values) return { kind: 'map', entries: entries ?? {}, values: values ?? null, ...marks };
  const list = [parts, ...(parts.pipe ?? [])].find(({ type }) => type === 'array') as Parts | undefined;
  if (list?.item) return { kind: 'list', item: list.item, ...marks };
  return { kind: 'leaf', ...leafOf(parts, kind), ...marks };
}

/** The node at a data path; null if the schema has none. */
export function nodeAt(schema: v.GenericSchema, path: Path): SchemaNode | null {
  let node: SchemaNode = nodeOf(schema);
  let hidden = node.hidden;
  for (const key of path) {
    const next = childOf(node, key);
    if (next === null) return hidden ? { ...node, hidden } : null;
    node = nodeOf(next);
    hidden ||= node.hidden;
  }
  return { ...node, hidden };
}

function childOf(node: SchemaNode, key: string | number): v.GenericSchema | null {
  if (node.kind === 'list') return node.item;
  if (node.kind !== 'map') return null;
  return (Object.hasOwn(node.entries, key) ? node.entries[key] : null) ?? node.values;
}

interface Metadata {
  readonly entries?: { readonly [key: string]: v.GenericSchema };
  readonly values?: v.GenericSchema;
  readonly hidden?: boolean;
  readonly bundled?: boolean;
  readonly kind?: string;
}

function metadataOf(schema: v.GenericSchema): Metadata {
  return v.getMetadata(schema);
}

function leafOf({ type, options, literal }: Parts, kind: string | undefined) {
  if (kind === 'amount') return { type: 'text', words: [] } as const;
  if (type === 'picklist') return { type: 'choice', words: options ?? [] } as const;
  if (type === 'literal') return { type: 'number', words: [String(literal)] } as const;
  if (type === 'string') return { type: kind === 'address' ? 'address' : 'text', words: [] } as const;
  if (type === 'number' || type === 'boolean') return { type, words: [] } as const;
  return { type: 'any', words: [] } as const;
}
