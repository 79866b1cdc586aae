import { fork } from 'node:child_process';
import { once } from 'node:events';
import { benchFile } from '../program.ts';

/** Runs a load client, a program in a process of its own, and returns what it measured. */
export async function ask<Answer>(program: string, asked: object): Promise<Answer> {
  const client = fork(benchFile(program));
  const told = once(client, 'message');
  client.send(asked);
  const [answer] = await told;
  client.disconnect();
  return answer;
}
