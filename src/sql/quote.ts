/** Writes a name as SQL; a NUL would end the statement. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('\0', '').replaceAll('"', '""')}"`;
}

/** Writes a text as SQL; a NUL would end the statement. */
export function quoteText(text: string): string {
  return `'${text.replaceAll('\0', '').replaceAll("'", "''")}'`;
}
