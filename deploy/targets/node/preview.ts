import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Preview, PreviewOptions } from '../../preview/preview.ts';
import { startChild } from '../../preview/process.ts';

/** Where the artefact writes, such as its audit file: a build leaves names with a dot alone. */
const STATE = '.state';

/** `node index.js`, as in a container or under systemd. */
export async function previewNode({ folder, port, env, onLine }: PreviewOptions): Promise<Preview> {
  const cwd = join(folder, STATE);
  await mkdir(cwd, { recursive: true });
  return startChild({
    args: [join(folder, 'index.js')],
    cwd,
    env: { ...env, HOST: '127.0.0.1', PORT: String(port) },
    onLine,
    urlIn,
  });
}

/** The program's log is lines of JSON, one of which has the address. */
function urlIn(line: string): string | null {
  try {
    const { url }: { readonly url?: unknown } = JSON.parse(line);
    return typeof url === 'string' ? url : null;
  } catch {
    return null;
  }
}
