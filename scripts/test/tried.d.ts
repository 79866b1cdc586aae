/** Runs an installing program. Resolves to the reason of a failure, or to an empty text. */
export function tried(
  program: string,
  args: readonly string[],
  reason: string,
  cwd?: string,
): Promise<string>;
