import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '../../src/project/finding.ts';

/** A line of a file. */
export interface SourceLine {
  /** Counts from 1. */
  readonly line: number;
  readonly text: string;
}

const AROUND = 2;

/**
 * Reads the lines around findings, each file once. A file that cannot be read has no lines. A file that contains a
 * literal secret shows none of its lines, because any of them may be near the secret.
 */
export function createFrames(
  root: string,
  findings: readonly Finding[],
): (finding: Finding) => readonly SourceLine[] {
  const files = new Map<string, readonly string[]>();
  for (const { code, file } of findings) if (code === 'literal-secret') files.set(file, []);
  const linesOf = (file: string) => {
    const lines = files.get(file) ?? read(join(root, file));
    files.set(file, lines);
    return lines;
  };
  return ({ file, line }) => {
    if (line === 0) return [];
    const first = Math.max(1, line - AROUND);
    const lines = linesOf(file).slice(first - 1, line + AROUND);
    return lines.map((text, index) => ({ line: first + index, text }));
  };
}

function read(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split(/\r?\n/);
  } catch {
    // The finding still says what is wrong; it may be about a file that is missing.
    return [];
  }
}
