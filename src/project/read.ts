import { toSvcError } from '../errors.ts';
import type { Files } from '../ports.ts';
import type { SourceIssue } from './finding.ts';
import { decodeText } from './yaml/decode.ts';

/** A file's text with its encoding, null if the file does not exist, or the reason why it cannot be read. */
type ReadText =
  | { readonly text: string | null; readonly encoding?: string }
  | { readonly problem: SourceIssue };

const MAX_BYTES = 1_048_576;

/** Reads a file of the project as text, up to a size limit. */
export async function readText(files: Files, path: string): Promise<ReadText> {
  const bytes = await readBytes(files, path);
  if (bytes === null) return { text: null };
  if ('code' in bytes) return { problem: bytes };
  return bytes.length > MAX_BYTES ? { problem: tooLarge() } : decodeText(bytes);
}

/** Lists the files below a folder, or returns the reason why that fails. */
export async function listFolder(files: Files, folder: string): Promise<readonly string[] | SourceIssue> {
  return orProblem(files.list(folder));
}

async function readBytes(files: Files, path: string): Promise<Uint8Array | SourceIssue | null> {
  return orProblem(files.read(path, MAX_BYTES + 1));
}

/** The port reports links that lead out of the project and files without read permission. */
async function orProblem<T>(asked: Promise<T>): Promise<T | SourceIssue> {
  try {
    return await asked;
  } catch (thrown) {
    const fix = 'Keep it inside the project, and give this user the right to read it.';
    return { code: 'file-unreadable', message: toSvcError(thrown).message, fix, position: START };
  }
}

const START = { line: 1, column: 1 };

function tooLarge(): SourceIssue {
  return {
    code: 'file-size',
    message: `The file has more than ${MAX_BYTES} bytes.`,
    fix: 'Make it smaller; data belongs in the database.',
    position: START,
  };
}
