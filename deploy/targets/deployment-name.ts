/**
 * Converts a project's name to a form that platforms accept: lower case, digits and dashes, 2 to 50 characters, a
 * letter first.
 */
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
