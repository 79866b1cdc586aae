import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { browse } from '../../../unit/auth/flow/people.ts';

/** A client that runs as a program, and the user in its browser. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly user: string;
  /** Whether the client listens for the browser itself; otherwise it reads the address from stdin. */
  readonly listens: boolean;
}

/** The output of a program, and the number of sign-ins that it asked for. */
export interface Finished {
  readonly stdout: string;
  readonly stderr: string;
  readonly visits: number;
}

const AUTHORIZE = /https?:\/\/(?:127\.0\.0\.1|localhost):\d+\/authorize\?[^\s"']+/g;

/** Visits each authorization address that a client writes, as the user, and delivers the address of the way back. */
export function createVisitor(user: string, deliver: (back: URL) => Promise<void>) {
  const [seen, failures] = [new Set<string>(), [] as unknown[]];
  let text = '';
  return {
    read: (chunk: Buffer | string) => {
      text += chunk;
      // An address is whole once something follows it.
      for (const { 0: url, index } of text.matchAll(AUTHORIZE)) {
        if (seen.has(url) || index + url.length === text.length) continue;
        seen.add(url);
        browse(new URL(url), { user })
          .then(deliver)
          .catch((thrown) => failures.push(thrown));
      }
    },
    /** Returns the number of visits. Throws if one failed before the client ended. */
    end: () => {
      if (failures.length > 0) throw failures[0];
      return seen.size;
    },
  };
}

/** Brings the answer to a client that listens for it. */
export const toListener = async (back: URL): Promise<void> => {
  await (await fetch(back)).text();
};

/** Runs a client to its end; its browser is ours. */
export async function runProgram({ command, args, env, user, listens }: Program): Promise<Finished> {
  const child = spawn(command, [...args], { env: { ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  const toStdin = async (back: URL) => void child.stdin.write(`${back.href}\n`);
  const visitor = createVisitor(user, listens ? toListener : toStdin);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
    visitor.read(chunk);
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
    visitor.read(chunk);
  });
  await once(child, 'close');
  return { stdout, stderr, visits: visitor.end() };
}
