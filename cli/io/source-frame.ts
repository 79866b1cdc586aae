import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A line of a file. */
export interface SourceLine {
  /** Counts from 1. */
  readonly line: number;
  readonly text: string;
}

const AROUND = 2;

/** Reads lines around places of files, each file once. A file that cannot be read has no lines. */
export function createFrames(root: string): (file: string, line: number) => readonly SourceLine[] {
  const files = new Map<string, readonly string[]>();
  const linesOf = (file: string) => {
    const lines = files.get(file) ?? read(join(root, file));
    files.set(file, lines);
    return lines;
  };
  return (file, line) => {
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
