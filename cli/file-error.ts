import { SvcError } from '../src/errors.ts';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  EROFS: 'its file system is read-only',
  ENOSPC: 'there is no space left',
  EDQUOT: 'there is no space left for this user',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is no folder',
  ENOENT: 'there is no such file or folder',
  EEXIST: 'it is there already',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'links lead in a circle',
};

/** What the system refused to do with a file, in words; null where something else was thrown. */
export function toFileError(thrown: unknown, path?: string): SvcError | null {
  if (!(thrown instanceof Error) || !('syscall' in thrown) || !('code' in thrown)) return null;
  const reason = REASONS[String(thrown.code)];
  const own = 'path' in thrown ? String(thrown.path) : undefined;
  if (reason === undefined) return null;
  const place = path ?? own ?? 'A file';
  return new SvcError('file_unavailable', `${place} cannot be used: ${reason} (${thrown.message}).`, {
    cause: thrown,
  });
}
