import type { JsonValue } from '../json.ts';

/** The type names of the endpoint language. */
export const TYPE_NAMES = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const;

export type TypeName = (typeof TYPE_NAMES)[number];

/** The names of the string formats. */
export const FORMAT_NAMES = ['email', 'uri', 'date', 'time', 'date-time', 'duration', 'timestamp'] as const;

/** The name of a string format. `formats.ts` has its record. */
export type Format = (typeof FORMAT_NAMES)[number];

/** One node of an endpoint type. Validators, JSON Schemas and example values are derived from it. */
export interface TypeNode {
  readonly type: TypeName;
  readonly format?: Format;
  readonly title?: string;
  readonly description?: string;
  readonly default?: JsonValue;
  readonly examples?: readonly JsonValue[];
  readonly enum?: readonly JsonValue[];
  readonly nullable?: boolean;
  readonly sensitive?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly items?: TypeNode;
  readonly properties?: { readonly [name: string]: TypeNode };
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
}

/** A parameter: a type with a name. It is optional exactly if it has a `default`, and `default: null` counts. */
export interface Parameter extends TypeNode {
  readonly name: string;
}

/** Whether a type accepts null: through `nullable: true`, `default: null` or an enum with null. */
export function acceptsNull(node: TypeNode): boolean {
  return node.nullable === true || node.default === null || (node.enum?.includes(null) ?? false);
}

/** Whether a parameter or property has a default for a missing value. */
export function hasDefault(node: TypeNode): boolean {
  return node.default !== undefined;
}
