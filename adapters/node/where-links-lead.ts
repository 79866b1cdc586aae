import { readlink, realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Follows links to the file behind them, even if that file does not exist. */
export async function whereLinksLead(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT')) throw thrown;
    const next = await readlink(path).catch(() => null);
    return next === null ? path : whereLinksLead(resolve(dirname(path), next));
  }
}
