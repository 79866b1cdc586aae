import { openJwe } from '../../../../adapters/node/auth/open-jwe.ts';
import type { TokenStore } from '../../../../src/ports.ts';
import { createDesk, type Desk, grantTo } from '../fixture.ts';
import { createIdp, type Idp } from '../idp.ts';
import { createGates, type Gates } from './gates.ts';

/** Opens the store that all instances share, with the clock of one instance. */
export type OpenShared = (now: () => number) => Promise<TokenStore>;

/** A request on its way, with the lowest and the highest time that its instance's clock showed meanwhile. */
export interface Travel {
  readonly instance: Instance;
  /** The number of the event at which it was sent. */
  readonly sent: number;
  low: number;
  high: number;
}

/** An answer as its client sees it. */
export interface Exchange {
  readonly travel: Travel;
  /** The number of the event at which it arrived. */
  readonly answered: number;
  readonly status: number;
  readonly response: Response;
  readonly json: Readonly<Record<string, string | undefined>>;
}

/** One process of the server. */
export interface Instance {
  readonly name: string;
  /** Milliseconds by which its clock is ahead. */
  skew: number;
  /** A process that was killed has successors. */
  process: Process;
}

interface Process {
  readonly desk: Desk;
  readonly store: TokenStore;
  /** Each loses its answer if the process is killed. */
  readonly losers: Set<() => void>;
}

/** Thrown to a client whose connection broke. */
export class Lost extends Error {}

/** Three instances over one store, one provider, and the time. */
export interface World {
  readonly gates: Gates;
  readonly idp: Idp;
  readonly instances: readonly Instance[];
  /** What has happened so far; each thing gets the next number. */
  readonly tick: () => number;
  /** The highest time that any clock has shown. */
  readonly latest: () => number;
  readonly now: (instance: Instance) => number;
  pass(ms: number): void;
  skew(instance: Instance, ms: number): void;
  kill(instance: Instance): Promise<void>;
  send(instance: Instance, path: string, init?: RequestInit): Promise<Exchange>;
  close(): Promise<void>;
}

export const SCOPES = ['svc:access', 'sales:read', 'audit:read'] as const;

/** Ada may have every scope, everybody else the basic one and sales. */
const GRANTS = [
  ...grantTo({ emails: ['ada@example.com', 'bob@example.com'] }, 'sales:read'),
  ...grantTo({ emails: ['ada@example.com'] }, 'audit:read'),
];

const START = Date.UTC(2026, 5, 1);
/** Seconds of the provider's tokens, so that they are renewed now and then. */
const UPSTREAM_SECONDS = 600;

export async function createWorld(open: OpenShared): Promise<World> {
  let ms = START;
  let events = 0;
  let latest = START;
  const travels = new Set<Travel>();
  const gates = createGates((pause) => pass(pause));
  const idp = createIdp();
  idp.expiresIn = UPSTREAM_SECONDS;
  const ask: typeof fetch = (input, init) => gates.pass('provider', () => idp.fetch(input, init));
  const now = ({ skew }: Pick<Instance, 'skew'>) => ms + skew;
  const look = () => {
    for (const travel of travels) {
      const time = now(travel.instance);
      travel.low = Math.min(travel.low, time);
      travel.high = Math.max(travel.high, time);
    }
    latest = Math.max(latest, ...instances.map(now));
  };
  const pass = (more: number) => {
    ms += more;
    look();
  };
  const begin = async (clock: { readonly skew: number }): Promise<Process> => {
    const time = () => now(clock);
    const store = await open(time);
    const parts = { store: gated(store, gates), fetch: ask, now: time, openJwe };
    return { store, desk: createDesk({ idp, auth: { grants: GRANTS }, parts }), losers: new Set() };
  };
  const instances: Instance[] = [];
  for (const name of ['one', 'two', 'three']) {
    const instance = { name, skew: 0 };
    instances.push(Object.assign(instance, { process: await begin(instance) }));
  }
  return {
    gates,
    idp,
    instances,
    tick: () => {
      events += 1;
      return events;
    },
    latest: () => latest,
    now,
    pass,
    skew: (instance, skew) => {
      instance.skew = skew;
      look();
    },
    kill: async (instance) => {
      const { process } = instance;
      gates.drop(process);
      for (const lose of process.losers) lose();
      await gates.calm();
      await process.store.close();
      instance.process = await begin(instance);
    },
    send: async (instance, path, init) => {
      const { process } = instance;
      const { promise: lost, reject } = Promise.withResolvers<never>();
      const lose = () => reject(new Lost());
      process.losers.add(lose);
      events += 1;
      const travel = { instance, sent: events, low: now(instance), high: now(instance) };
      travels.add(travel);
      const answer = gates.run(process, () =>
        gates.pass('message', async () => null).then(() => process.desk.fetch(path, init)),
      );
      try {
        const response = await Promise.race([answer, lost]);
        const json = await response
          .clone()
          .json()
          .catch(() => ({}));
        events += 1;
        return { travel, answered: events, status: response.status, response, json };
      } finally {
        travels.delete(travel);
        process.losers.delete(lose);
      }
    },
    close: async () => {
      for (const { process } of instances) {
        gates.drop(process);
        for (const lose of process.losers) lose();
      }
      await gates.calm();
      gates.close();
      for (const { process } of instances) await process.store.close();
    },
  };
}

/** Every use of the store is one gate, because a process can be killed between two of them only. */
function gated(store: TokenStore, { pass }: Gates): TokenStore {
  return {
    consistency: store.consistency,
    claimOnce: (key, seconds) => pass('claim', () => store.claimOnce(key, seconds)),
    get: (key) => pass('get', () => store.get(key)),
    put: (key, value, options) => pass('put', () => store.put(key, value, options)),
    delete: (key) => pass('delete', () => store.delete(key)),
    close: () => store.close(),
  };
}
