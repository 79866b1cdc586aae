import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { type AuditLine, toAuditLine } from '../../src/audit/filter.ts';

/** A line of a file with what it holds; null where that is no record. */
export interface ReadLine {
  readonly text: string;
  readonly record: AuditLine | null;
}

/** DuckDB reads no longer ones either. */
const MAX_LINE = 16 * 1024 * 1024;
const CHUNK = 1024 * 1024;
const NEWLINE = 0x0a;

/** The lines of a file by the hundreds; blank ones are none, and a file that is gone by now has none. */
export async function* readLines(path: string): AsyncGenerator<readonly ReadLine[]> {
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: CHUNK })) {
      const bytes: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const end = bytes.lastIndexOf(NEWLINE) + 1;
      yield toLines(bytes.subarray(0, end));
      rest = bytes.subarray(end);
      if (rest.length > MAX_LINE) throw new Error(`${path} has a line of more than ${MAX_LINE} bytes`);
    }
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
  }
  yield toLines(rest);
}

/** How many records a file holds. */
export async function countRecords(path: string): Promise<number> {
  let many = 0;
  for await (const lines of readLines(path)) many += lines.filter(({ record }) => record !== null).length;
  return many;
}

function toLines(bytes: Buffer): readonly ReadLine[] {
  // Asked of all at once, because it hardly ever is not so.
  const sound = isUtf8(bytes);
  const lines: ReadLine[] = [];
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(NEWLINE, start);
    const end = found === -1 ? bytes.length : found;
    const line = bytes.subarray(start, end);
    const text = line.toString('utf8');
    if (text.trim() !== '') {
      lines.push({ text, record: sound || isUtf8(line) ? toAuditLine(text) : null });
    }
    start = end + 1;
  }
  return lines;
}
