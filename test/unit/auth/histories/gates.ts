import { AsyncLocalStorage } from 'node:async_hooks';

/** A place where a request waits: a message that travels, a use of the store, a question to the provider, a pause. */
interface Gate {
  readonly what: string;
  readonly owner: object;
  open(): void;
}

/**
 * Stops every request at each thing that others can notice, and lets one pass at a time. The order of a history is
 * therefore chosen, not left to chance, and the same choices give the same history.
 */
export interface Gates {
  /** The gates at which requests wait, in the order in which they came there. */
  readonly waiting: readonly Gate[];
  /** Runs a request whose gates belong to an owner. */
  run<T>(owner: object, work: () => T): T;
  /** Waits until it is let pass, then does the work. */
  pass<T>(what: string, work: () => Promise<T>): Promise<T>;
  /** Lets one pass, and waits until everybody waits again. */
  open(index: number): Promise<void>;
  /** Waits until everybody waits at a gate or has ended. */
  calm(): Promise<void>;
  /** Forgets the gates of an owner: its requests never go on. */
  drop(owner: object): void;
}

/** The turns of the event loop without work after which nobody moves any more. */
const STILL_TURNS = 2;

export function createGates(onPause: (ms: number) => void): Gates & { close(): void } {
  const owners = new AsyncLocalStorage<object>();
  let waiting: Gate[] = [];
  let busy = 0;
  const work = <T>(begin: () => Promise<T>): Promise<T> => {
    busy += 1;
    return begin().finally(() => {
      busy -= 1;
    });
  };
  const watched = watchCrypto(work);
  const pass = <T>(what: string, begin: () => Promise<T>): Promise<T> => {
    const owner = owners.getStore();
    if (owner === undefined) return begin();
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    waiting.push({ what, owner, open: () => void work(begin).then(resolve, reject) });
    return promise;
  };
  const timers = watchPauses((ms) => {
    if (owners.getStore() === undefined) return null;
    return pass('pause', async () => onPause(ms));
  });
  const calm = async () => {
    for (let still = 0; still < STILL_TURNS; ) {
      await new Promise((resolve) => setImmediate(resolve));
      still = busy === 0 ? still + 1 : 0;
    }
  };
  return {
    get waiting() {
      return waiting;
    },
    run: (owner, begin) => owners.run(owner, begin),
    pass,
    open: async (index) => {
      const gate = waiting[index % waiting.length];
      waiting = waiting.filter((one) => one !== gate);
      gate?.open();
      await calm();
    },
    calm,
    drop: (owner) => {
      waiting = waiting.filter((gate) => gate.owner !== owner);
    },
    close: () => {
      watched.restore();
      timers.restore();
    },
  };
}

type Asynchronous = (...args: never[]) => Promise<unknown>;

/** WebCrypto works on threads, so that the event loop looks idle meanwhile. */
function watchCrypto(work: <T>(begin: () => Promise<T>) => Promise<T>) {
  const subtle = Object.getPrototypeOf(crypto.subtle) as Record<string, Asynchronous>;
  const names = ['encrypt', 'decrypt', 'sign', 'verify', 'digest', 'deriveBits', 'importKey', 'exportKey'];
  const before = names.map((name) => [name, subtle[name]] as const);
  for (const [name, original] of before) {
    if (original === undefined) continue;
    subtle[name] = function (this: unknown, ...args) {
      return work(() => original.apply(this, args));
    };
  }
  return { restore: () => void Object.assign(subtle, Object.fromEntries(before)) };
}

/** Short pauses of a request become gates, because a history has a clock of its own. */
function watchPauses(pause: (ms: number) => Promise<void> | null) {
  const original = globalThis.setTimeout;
  const replaced = (done: () => void, ms = 0, ...args: never[]) => {
    const gate = ms > 0 && ms <= 1_000 ? pause(ms) : null;
    if (gate === null) return original(done, ms, ...args);
    return void gate.then(done);
  };
  globalThis.setTimeout = replaced as typeof setTimeout;
  return {
    restore: () => {
      globalThis.setTimeout = original;
    },
  };
}
