import { fork } from 'node:child_process';
import { once } from 'node:events';
import { benchFile } from '../program.ts';
import type { Load, Outcome } from './client.ts';

/** A load client in a process of its own, which sends one stretch of load after the other. */
export interface LoadClient {
  send(load: Load): Promise<Outcome>;
  close(): void;
}

/** Starts a load client. */
export function startLoadClient(): LoadClient {
  const client = fork(benchFile('load/client.ts'));
  return {
    async send(load) {
      const told = once(client, 'message');
      client.send(load);
      const [outcome] = await told;
      return outcome;
    },
    close: () => client.disconnect(),
  };
}
