import type { TypeNode } from './node.ts';

/** Whether a type accepts null: through `nullable: true`, `default: null` or an enum with null. */
export function acceptsNull(node: TypeNode): boolean {
  return node.nullable === true || node.default === null || (node.enum?.includes(null) ?? false);
}

/** Whether a parameter or property has a default for a missing value. */
export function hasDefault(node: TypeNode): boolean {
  return node.default !== undefined;
}
