import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { unresolved } from '../../references/unresolved.ts';

const MAX_BYTES = 1_048_576;

/** A file's text without the space around it; relative to the working directory (spec, "Dynamic values"). */
export async function readReferencedFile(path: string): Promise<string> {
  const place = resolve(path);
  const found = await stat(place).catch(() => null);
  if (found === null) {
    throw unresolved(
      'is a file that is not there.',
      'Create it, or correct the path: it is relative to the working directory.',
    );
  }
  if (!found.isFile()) throw unresolved('is no file.', 'Name a file.');
  if (found.size > MAX_BYTES) throw unresolved(`has more than ${MAX_BYTES} bytes.`, 'Name another file.');
  const bytes = await readFile(place).catch(() => {
    throw unresolved('is a file that svc may not read.', 'Give the user of svc the right to read it.');
  });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim();
  } catch {
    throw unresolved('is a file that is not text.', 'Save it as UTF-8.');
  }
}
