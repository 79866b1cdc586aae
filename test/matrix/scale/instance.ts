import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A Node artefact that serves. */
export interface Instance {
  readonly url: URL;
  /** Sends a signal and waits for the end; answers the exit code. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>;
}

/** Starts one more of the same: what instances share is the folder and the environment. */
export async function startInstance(folder: string, env: Record<string, string>): Promise<Instance> {
  const child = spawn(process.execPath, [join(folder, 'index.js')], {
    cwd: folder,
    env: { ...env, PORT: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  const url = await servingAt(child);
  return {
    url,
    end: async (signal) => {
      child.kill(signal);
      const [code] = await exited;
      return code;
    },
  };
}

function servingAt({ stderr }: ChildProcess): Promise<URL> {
  return new Promise((resolve, reject) => {
    const lines: string[] = [];
    const log = createInterface({ input: stderr ?? process.stdin });
    log.on('line', (line) => {
      lines.push(line);
      const { url }: { readonly url?: string } = JSON.parse(line);
      if (url !== undefined) resolve(new URL(url));
    });
    log.on('close', () => reject(new Error(`the instance ended:\n${lines.join('\n')}`)));
  });
}
