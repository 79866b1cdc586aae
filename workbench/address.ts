/** The address of an endpoint's view. */
export function toHash(id: string): string {
  return `#${encodeURIComponent(id)}`;
}
