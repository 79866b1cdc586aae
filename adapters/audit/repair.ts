import { appendFile, type FileHandle, open } from 'node:fs/promises';
import { tornName } from './audit-files.ts';

/** Records are far shorter. A longer last line without an end was not written by us. */
const MAX_TAIL = 1024 * 1024;
/** A write of another process may be visible page by page. It pauses for a fifth of a second at most. */
const SETTLE_MS = 250;
const NEWLINE = 0x0a;
const SPACE = 0x20;

/**
 * Repairs the last line of a file that a crash has cut. An incomplete record is appended to `<path>.torn`, and
 * blanks take its place. Returns whether there was one.
 */
export async function repairTail(path: string): Promise<boolean> {
  const handle = await open(path, 'r+');
  try {
    const { tail, size } = await readTail(handle);
    if (tail.length === 0 || tail.at(-1) === NEWLINE) return false;
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    // Another process is writing and ends its line itself.
    if ((await handle.stat()).size !== size) return false;
    const torn = tail.subarray(tail.lastIndexOf(NEWLINE) + 1);
    if (isWhole(torn) || (torn.length === tail.length && tail.length < size)) {
      await appendFile(path, '\n');
      return false;
    }
    await appendFile(tornName(path), `${torn.toString('utf8')}\n`, { mode: 0o600 });
    // The line is overwritten in place and the file never shortened: another process may have appended by now.
    await handle.write(
      Buffer.alloc(torn.length, SPACE).fill(NEWLINE, torn.length - 1),
      0,
      torn.length,
      size - torn.length,
    );
    return true;
  } finally {
    await handle.close();
  }
}

async function readTail(handle: FileHandle): Promise<{ readonly tail: Buffer; readonly size: number }> {
  const { size } = await handle.stat();
  const length = Math.min(size, MAX_TAIL);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
  return { tail: buffer.subarray(0, bytesRead), size };
}

/** Returns whether only the end of the line is missing. */
function isWhole(line: Buffer): boolean {
  try {
    return typeof JSON.parse(line.toString('utf8')) === 'object';
  } catch {
    return false;
  }
}
