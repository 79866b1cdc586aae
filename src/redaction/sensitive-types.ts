import type { TypeNode } from '../types/node.ts';

const known = new WeakMap<TypeNode, boolean>();

/** Whether a type is `sensitive` or contains such a type. The answer is cached for each node. */
export function holdsSensitive(node: TypeNode): boolean {
  const answer = known.get(node);
  if (answer !== undefined) return answer;
  const inside = [...(node.items ? [node.items] : []), ...Object.values(node.properties ?? {})];
  const found = inside.some((child) => child.sensitive === true || holdsSensitive(child));
  known.set(node, found);
  return found;
}
