/** Replaces `~/` at the beginning of a path by the user's folder. A path stays as it is if there is no such folder. */
export function expandHome(path: string, home: string | null): string {
  // A function, because a folder's name may contain `$&`.
  return home === null ? path : path.replace(/^~(?=\/|$)/, () => home);
}
