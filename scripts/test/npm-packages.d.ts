/** The folder with a folder for each set of packages. */
export const NPM_PINS: string;
/** The text of the lock file of a set. */
export function npmPins(name: string): string;
/** Installs a set of packages into a folder. Resolves to the reason of a failure, or to an empty text. */
export function installNpm(
  name: string,
  folder: string,
  options?: { readonly scripts?: boolean },
): Promise<string>;
