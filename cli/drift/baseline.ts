import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { SvcError } from '../../src/errors.ts';
import { type DocumentKind, parseDocument } from '../../src/quality/drift/document.ts';

/** The document that a comparison starts from. */
export interface Baseline<Content> {
  /** Its path as people write it, relative to the current folder. */
  readonly path: string;
  readonly hash: string;
  readonly content: Content;
}

/** Reads a baseline or a lock; null if there is none. Throws config_invalid if the file is something else. */
export async function readBaseline<Content>(
  kind: DocumentKind,
  path: string,
): Promise<Baseline<Content> | null> {
  const shown = relative(process.cwd(), path) || path;
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return null;
    throw new SvcError('config_invalid', `${shown} cannot be read: ${cause.message}`, { cause });
  });
  return text === null ? null : { path: shown, ...(await parseDocument<Content>(kind, text, shown)) };
}

/** Reads a baseline or a lock. Throws config_invalid if there is none. */
export async function requireBaseline<Content>(kind: DocumentKind, path: string): Promise<Baseline<Content>> {
  const found = await readBaseline<Content>(kind, path);
  if (found !== null) return found;
  throw new SvcError(
    'config_invalid',
    `There is no ${kind.noun} at ${relative(process.cwd(), path) || path}.
Make one with \`${kind.command}\` while everything works as intended, and keep it under version control.`,
  );
}
