/** A project's name as platforms accept names: lower case, digits and dashes, a letter first, at most 50. */
export function toSlug(project: string): string {
  const plain = project.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return (
    plain
      .replace(/^[^a-z]+/, '')
      .slice(0, 50)
      .replace(/-+$/, '') || 'server'
  );
}
