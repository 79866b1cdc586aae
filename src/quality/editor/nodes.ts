import type { GenericSchema } from 'valibot';
import type { JsonObject } from '../../json.ts';

/** The properties of a valibot schema that can be inspected. */
interface Inside extends GenericSchema {
  readonly pipe?: readonly unknown[];
  readonly wrapped?: GenericSchema;
  readonly getter?: (input: unknown) => GenericSchema;
  readonly item?: GenericSchema;
  readonly options?: readonly string[];
  readonly literal?: string | number | boolean;
}

/** Metadata of schemas (see project/schema/shape.ts). */
interface Said {
  readonly json?: JsonObject;
  readonly entries?: { readonly [key: string]: GenericSchema };
  readonly values?: GenericSchema;
  readonly or?: GenericSchema;
}

/** An unwrapped schema: its core, and the metadata of all wrappers. */
export interface OpenSchema {
  /** The same object for every use of the same map. */
  readonly heart: Inside;
  readonly said: Said;
  /** `optional` keys may be absent, `nullish` keys may also be empty. */
  readonly presence: 'required' | 'optional' | 'nullish';
}

/** Unwraps wrappers and pipes. */
export function openSchema(schema: GenericSchema): OpenSchema {
  const inside: Inside = schema;
  if (inside.wrapped !== undefined) {
    return { ...openSchema(inside.wrapped), presence: inside.type === 'nullish' ? 'nullish' : 'optional' };
  }
  if (inside.getter !== undefined) return openSchema(inside.getter(undefined));
  const own = saidIn(inside.pipe ?? []);
  const within = (inside.pipe ?? []).filter(isSchema).at(-1);
  // A pipe begins with a copy of its first schema. A map is identified by the pipe that declares its entries.
  if (within === undefined || own.entries !== undefined || own.values !== undefined || isLeaf(inside)) {
    return { heart: inside, said: own, presence: 'required' };
  }
  const inner = openSchema(within);
  return { ...inner, said: { ...inner.said, ...own } };
}

function isLeaf(schema: Inside): boolean {
  const schemas = (schema.pipe ?? []).filter(isSchema);
  return schemas.length === 1 && schemas[0]?.pipe === undefined;
}

function isSchema(item: unknown): item is Inside {
  return typeof item === 'object' && item !== null && 'kind' in item && item.kind === 'schema';
}

function saidIn(pipe: readonly unknown[]): Said {
  return Object.assign({}, ...pipe.flatMap((item) => (isMetadata(item) ? [item.metadata] : [])));
}

function isMetadata(item: unknown): item is { readonly metadata: Said } {
  return typeof item === 'object' && item !== null && 'kind' in item && item.kind === 'metadata';
}
