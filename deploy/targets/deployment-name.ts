/** A project's name as platforms accept names: lower case, digits and dashes, a letter first, 2 to 50. */
export function toDeploymentName(project: string): string {
  const plain = project
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, 50)
    .replace(/-+$/, '');
  if (plain.length > 1) return plain;
  return plain === '' ? 'server' : `server-${plain}`;
}
