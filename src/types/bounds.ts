const MAX_DEPTH = 64;
const MAX_VALUES = 100_000;
const NOT_UNICODE = 'has text that is not valid Unicode (half of a surrogate pair)';

function isUnicode(value: unknown): boolean {
  return typeof value !== 'string' || value.isWellFormed();
}

/**
 * Returns why a client's value is unsafe to walk or cannot arrive: nested too deep, too large, with a `__proto__` key, or
 * with half of a surrogate pair, which UTF-8 cannot hold. Returns null for a safe value.
 */
export function boundsIssue(root: unknown): string | null {
  if (typeof root === 'string' && !root.isWellFormed()) return NOT_UNICODE;
  const open: { readonly value: object; readonly depth: number }[] = [];
  const visit = (value: unknown, depth: number): void => {
    if (typeof value === 'object' && value !== null) open.push({ value, depth });
  };
  visit(root, 1);
  let values = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (depth > MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH} levels`;
    if (Object.hasOwn(value, '__proto__')) return 'has a key named __proto__';
    const children: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    const names = Array.isArray(value) ? [] : Object.keys(value);
    if (!names.every(isUnicode) || !children.every(isUnicode)) return NOT_UNICODE;
    values += children.length;
    if (values > MAX_VALUES) return `has more than ${MAX_VALUES} values`;
    for (const child of children) visit(child, depth + 1);
  }
  return null;
}
