/** The arguments of a command in order, and its options by name. */
export interface CommandInput {
  readonly args: readonly (string | undefined)[];
  text(option: string): string | undefined;
  flag(option: string): boolean;
  list(option: string): readonly string[];
}

/** Gives typed access to the arguments and options that commander parsed. */
export function createInput(
  args: readonly (string | undefined)[],
  options: Readonly<Record<string, unknown>>,
): CommandInput {
  return {
    args,
    text: (option) => {
      const value = options[option];
      return typeof value === 'string' ? value : undefined;
    },
    flag: (option) => options[option] === true,
    list: (option) => {
      const value = options[option];
      return Array.isArray(value) ? value.map(String) : [];
    },
  };
}
