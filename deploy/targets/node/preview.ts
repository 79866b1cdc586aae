import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Preview, type PreviewOptions, startChild } from '../../preview/process.ts';

/** The folder that the artefact writes to, e.g. its audit file. A build keeps names that begin with a dot. */
const STATE = '.state';

/** Runs `node index.js`, as in a container or under systemd. */
export async function previewNode({ folder, port, env, onLine, stop }: PreviewOptions): Promise<Preview> {
  const cwd = join(folder, STATE);
  await mkdir(cwd, { recursive: true });
  return startChild({
    args: [join(folder, 'index.js')],
    cwd,
    env: { ...env, HOST: '127.0.0.1', PORT: String(port) },
    onLine,
    stop,
    urlIn,
  });
}

/** Reads the address from the program's log, which is lines of JSON. */
function urlIn(line: string): string | null {
  try {
    const { url }: { readonly url?: unknown } = JSON.parse(line);
    return typeof url === 'string' ? url : null;
  } catch {
    return null;
  }
}
