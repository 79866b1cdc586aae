import { readlink, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Follows links to the file behind them, even if that file does not exist. A link to a thing without a path, such as
 * `/dev/stdout` into a pipe, stays as it is.
 */
export async function whereLinksLead(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT')) throw thrown;
    if (await stat(path).catch(() => null)) return path;
    const next = await readlink(path).catch(() => null);
    return next === null ? path : whereLinksLead(resolve(dirname(path), next));
  }
}
