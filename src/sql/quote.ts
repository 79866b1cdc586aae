/** Writes a name as SQL; a NUL would end the statement. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('\0', '').replaceAll('"', '""')}"`;
}

/** Writes a text as SQL; a NUL would end the statement. */
export function quoteText(text: string): string {
  return `'${text.replaceAll('\0', '').replaceAll("'", "''")}'`;
}

/** Writes a path as a pattern of DuckDB that matches nothing else: its readers take each path for a pattern. */
export function toFilePattern(path: string): string {
  return path.replaceAll(/[[*?]/g, '[$&]');
}

/** Writes the paths of files as a list for DuckDB's readers, e.g. `['a.csv', 'data[[]1].csv']`. */
export function quoteFiles(files: readonly string[]): string {
  return `[${files.map((file) => quoteText(toFilePattern(file))).join(', ')}]`;
}
