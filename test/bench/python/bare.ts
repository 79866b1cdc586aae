import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readFrames, writeFrame } from '../../../adapters/python/protocol/frames.ts';
import type { JsonObject } from '../../../src/json.ts';

/** A child process that does nothing but exchange frames of JSON. */
export interface Bare {
  readonly pid: number;
  call(name: string): Promise<JsonObject>;
  close(): Promise<void>;
}

const PROGRAM = fileURLToPath(new URL('./bare.py', import.meta.url));

/** Starts it. */
export function startBare(executable: string): Bare {
  const child = spawn(executable, ['-I', '-B', PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] });
  const { stdin, stdout } = child;
  let take = (_text: string) => {};
  readFrames(stdout, { onFrame: (text) => take(text), onTooLarge: () => child.kill() });
  const exchange = (message: JsonObject) =>
    new Promise<JsonObject>((resolve) => {
      take = (text) => resolve(JSON.parse(text));
      writeFrame(stdin, JSON.stringify(message));
    });
  return {
    pid: child.pid ?? 0,
    async call(name) {
      const answer = await exchange({ name, args: { name: 'Ada' } });
      return answer.ask === undefined ? answer : exchange({ rows: [{ n: 1 }] });
    },
    close: () => ended(child),
  };
}

async function ended(child: ChildProcess): Promise<void> {
  child.stdin?.end();
  await once(child, 'close');
}

/** Resident memory of a process in MB; Linux only. */
export function residentMb(pid: number): number {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
  return (pages * 4096) / 1e6;
}
