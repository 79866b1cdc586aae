import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** One thing that is asked of us, in our words. */
export interface Requirement {
  /** Tests name it, in a comment above them: `// Requirements: audit.line, signal.*`. */
  readonly id: string;
  /** The sentences and table rows of the specification that it states, as SP012. */
  readonly spec?: readonly string[];
  readonly says: string;
  /** Why we do not do what those sentences say. */
  readonly differs?: string;
}

/** A section of the specification, with the number of rows that it has. */
export interface Section {
  readonly section: string;
  readonly count: number;
  readonly rows: readonly Requirement[];
}

/** A comment that names requirements, and the code below it. */
export interface Tag {
  readonly place: string;
  readonly ids: readonly string[];
  readonly code: string;
}

/** The sentences and table rows of the specification: SP001 to SP275. */
export const SENTENCES = Array.from({ length: 275 }, (_, index) => `SP${String(index + 1).padStart(3, '0')}`);

/** The table: `spec-*.yml` for the service's own specification, `mcp-*.yml` for the protocol's, the rest for our promises. */
export function readTable(): readonly Section[] {
  const files = readdirSync('test/requirements').filter((file) => file.endsWith('.yml'));
  return files.toSorted().flatMap((file): readonly Section[] => {
    return parse(readFileSync(`test/requirements/${file}`, 'utf8')).sections;
  });
}

/** The tags of every test. */
export function readTags(): readonly Tag[] {
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.ts')).flatMap((file) => tagsOf(join('test', file)));
}

function tagsOf(path: string): readonly Tag[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    const [, ids] = /^\s*\/\/ Requirements: (.+)$/.exec(line) ?? [];
    if (ids === undefined) return [];
    const code = lines.slice(index + 1).find((below) => !below.trimStart().startsWith('//')) ?? '';
    return [{ place: `${path}:${index + 1}`, ids: ids.split(', '), code: code.trim() }];
  });
}

/** Whether a tag's id means a requirement: `signal.*` means each that begins with `signal.`. */
export function means(tag: string, id: string): boolean {
  return tag.endsWith('*') ? id.startsWith(tag.slice(0, -1)) : tag === id;
}
