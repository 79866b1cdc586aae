import type { TypeNode } from './node.ts';

/** Whether null is a value of a type: `nullable: true`, `default: null`, or an enum with null in it. */
export function acceptsNull(node: TypeNode): boolean {
  return node.nullable === true || node.default === null || (node.enum?.includes(null) ?? false);
}

/** Whether a parameter or property fills itself in when it is left out. */
export function hasDefault(node: TypeNode): boolean {
  return node.default !== undefined;
}
