import type { GenericSchema } from 'valibot';
import type { JsonObject } from '../../json.ts';

/** What a schema of valibot may be made of, as far as it can be looked into. */
interface Inside extends GenericSchema {
  readonly pipe?: readonly unknown[];
  readonly wrapped?: GenericSchema;
  readonly getter?: (input: unknown) => GenericSchema;
  readonly item?: GenericSchema;
  readonly options?: readonly string[];
  readonly literal?: string | number | boolean;
}

/** What schemas say of themselves (see project/schema/shape.ts). */
interface Said {
  readonly json?: JsonObject;
  readonly entries?: { readonly [key: string]: GenericSchema };
  readonly values?: GenericSchema;
  readonly or?: GenericSchema;
}

/** A schema, opened: what it is at heart, and everything that was said around that. */
export interface OpenSchema {
  /** The same object wherever the same map is meant. */
  readonly heart: Inside;
  readonly said: Said;
  /** `optional` may be left out, `nullish` may also be empty. */
  readonly presence: 'required' | 'optional' | 'nullish';
}

/** Looks through wrappers and pipes. */
export function openSchema(schema: GenericSchema): OpenSchema {
  const inside: Inside = schema;
  if (inside.wrapped !== undefined) {
    return { ...openSchema(inside.wrapped), presence: inside.type === 'nullish' ? 'nullish' : 'optional' };
  }
  if (inside.getter !== undefined) return openSchema(inside.getter(undefined));
  const own = saidIn(inside.pipe ?? []);
  const within = (inside.pipe ?? []).filter(isSchema).at(-1);
  // A pipe begins with a copy of its first schema, and a map is told by the pipe that says its entries.
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
