import { SvcError } from '../../src/errors.ts';

const MAY_NOT = [
  'this user has no right to it',
  'Give this user the right, or choose another place.',
] as const;
const REASONS: Readonly<Record<string, readonly [reason: string, fix: string]>> = {
  EACCES: MAY_NOT,
  EPERM: MAY_NOT,
  EROFS: ['its file system is read-only', 'Choose another place.'],
  ENOSPC: ['there is no space left', 'Make room, or choose another place.'],
  EDQUOT: ['there is no space left for this user', 'Make room, or choose another place.'],
  EISDIR: ['it is a folder', 'Name a file.'],
  ENOTDIR: ['a part of its path is not a folder', 'Correct the path.'],
  ENOENT: ['there is no such file or folder', 'Correct the path, or create what is missing.'],
  EEXIST: ['it exists already', 'Delete it, or choose another name.'],
  ENAMETOOLONG: ['its name is too long', 'Choose a shorter one.'],
  ELOOP: ['links lead in a circle', 'Correct the links.'],
};
/** The reason why a folder cannot be made. The file may be one that is needed, so we do not advise to delete it. */
const IN_THE_WAY = ['it is a file, and a folder is needed there', 'Choose another place.'] as const;
/** The suffix of a file's temporary name while it is written. */
const UNTIL_WHOLE = /\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

/** Explains an error of the file system; null for any other error. */
export function toFileError(thrown: unknown, path?: string): SvcError | null {
  if (!(thrown instanceof Error) || !('syscall' in thrown) || !('code' in thrown)) return null;
  const inTheWay = thrown.code === 'EEXIST' && thrown.syscall === 'mkdir';
  const known = inTheWay ? IN_THE_WAY : REASONS[String(thrown.code)];
  const own = 'path' in thrown ? String(thrown.path) : undefined;
  if (known === undefined) return null;
  const [reason, fix] = known;
  const text = `${path ?? own ?? 'A file'} cannot be used: ${reason} (${thrown.message}).\n${fix}`;
  return new SvcError('file_unavailable', text.replaceAll(UNTIL_WHOLE, ''), { cause: thrown });
}
