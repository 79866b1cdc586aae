/** Installs packages into a folder of their own once. Resolves to the reason of a failure, or to an empty text. */
export function installOnce(
  folder: string,
  packages: readonly string[],
  install: () => Promise<string>,
): Promise<string>;
