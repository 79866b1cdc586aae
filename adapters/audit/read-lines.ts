import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { type AuditLine, toAuditLine } from '../../src/audit/filter.ts';

/** A line of a file, and its record; null if it is not one. */
export interface ReadLine {
  readonly text: string;
  readonly record: AuditLine | null;
  /** The place of its first byte in the file, and the number of its bytes. */
  readonly start: number;
  readonly length: number;
}

/** The limit of DuckDB too. */
const MAX_LINE = 16 * 1024 * 1024;
/** Parsing more at once would keep calls of the server waiting. */
const CHUNK = 256 * 1024;
const NEWLINE = 0x0a;

/**
 * Reads the lines of a file, some hundreds at a time, without blank ones. A file that no longer exists has
 * none. An open file stays open.
 */
export async function* readLines(file: string | FileHandle): AsyncGenerator<readonly ReadLine[]> {
  let rest: Buffer = Buffer.alloc(0);
  let start = 0;
  try {
    for await (const chunk of openStream(file)) {
      const bytes: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const end = bytes.lastIndexOf(NEWLINE) + 1;
      yield toLines(bytes.subarray(0, end), start);
      start += end;
      rest = bytes.subarray(end);
      if (rest.length > MAX_LINE)
        throw new Error(`${nameOf(file)} has a line of more than ${MAX_LINE} bytes`);
    }
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
  }
  yield toLines(rest, start);
}

function openStream(file: string | FileHandle) {
  if (typeof file === 'string') return createReadStream(file, { highWaterMark: CHUNK });
  return file.createReadStream({ highWaterMark: CHUNK, start: 0, autoClose: false });
}

function nameOf(file: string | FileHandle): string {
  return typeof file === 'string' ? file : 'an audit file';
}

/** Counts the records of a file. */
export async function countRecords(path: string): Promise<number> {
  let many = 0;
  for await (const lines of readLines(path)) many += lines.filter(({ record }) => record !== null).length;
  return many;
}

function toLines(bytes: Buffer, first: number): readonly ReadLine[] {
  // One check for all lines is fast, and it almost always holds.
  const sound = isUtf8(bytes);
  const lines: ReadLine[] = [];
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(NEWLINE, start);
    const end = found === -1 ? bytes.length : found;
    const line = bytes.subarray(start, end);
    const text = line.toString('utf8');
    if (text.trim() !== '') {
      const record = sound || isUtf8(line) ? toAuditLine(text) : null;
      lines.push({ text, record, start: first + start, length: line.length });
    }
    start = end + 1;
  }
  return lines;
}
