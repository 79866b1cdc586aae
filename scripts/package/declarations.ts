import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** The declaration files that an entry reaches through its imports, the entry first. Throws for an import that leads nowhere. */
export function declarationsOf(entry: string, found = new Set<string>()): readonly string[] {
  if (found.has(entry)) return [];
  found.add(entry);
  for (const target of importsOf(readFileSync(entry, 'utf8'), entry)) declarationsOf(target, found);
  return [...found];
}

/** The declaration files that a text imports from its own package. */
function importsOf(text: string, file: string): readonly string[] {
  return Array.from(text.matchAll(/(?:from|import\()\s*['"](\.[^'"]+)['"]/g), ([, specifier = '']) =>
    normalize(join(dirname(file), specifier)).replace(/\.[jt]s$/, '.d.ts'),
  );
}
