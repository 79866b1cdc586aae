/** A module beside another one, in that one's own language. */
export function bundledFile(url: string, name: string): URL {
  return new URL(`./${name}${url.endsWith('.ts') ? '.ts' : '.js'}`, url);
}
