import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** The measures of a door; `MEASURES` unless a test needs others. */
export interface DoorMeasures {
  /** The number of young requests that run at once. */
  readonly mostYoung: number;
  /** With fewer young requests, one begins as soon as it arrives. */
  readonly easyYoung: number;
  /** A request is young for this time. Older ones wait for something else than the processor, and hold up no others. */
  readonly youngMs: number;
  /** A request that has waited for this time is refused while more than a burst waits. */
  readonly mostWaitMs: number;
  /** The probes of one client that are let in at once within `probesMs`. Further ones wait like other requests. */
  readonly mostProbes: number;
  readonly probesMs: number;
  /** So many requests may wait for longer: clients that all come at once are served, one after the other. */
  readonly burst: number;
  readonly burstWaitMs: number;
}

/** The parts of a door. */
export interface DoorOptions {
  /** Returns the name of the client; clients that wait take turns. */
  readonly clientOf: (incoming: IncomingMessage) => string;
  readonly refuse: RequestListener;
  readonly measures?: Partial<DoorMeasures>;
}

/** A door of a server. */
export interface Door {
  readonly listener: RequestListener;
  /** Tells the door of a new connection. */
  readonly onConnection: () => void;
}

interface Arrival {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly at: number;
}

/** As many as the native engine runs at once. */
const MEASURES: DoorMeasures = {
  mostYoung: 64,
  easyYoung: 16,
  youngMs: 1_000,
  mostWaitMs: 800,
  mostProbes: 16,
  probesMs: 1_000,
  burst: 256,
  burstWaitMs: 10_000,
};
const CHECK_MS = 50;
const MOST_LEFT_TURNS = 16;
/** A load balancer that gets no answer stops the server, which makes the overload worse. A few probes are enough for it. */
const PROBES = /^\/(?:health|ready)(?:\?|$)/;

/**
 * Lets requests in while the server keeps up. The others wait unread, and those that waited for too long are refused:
 * the server then works on requests only that it answers in time.
 */
export function createDoor(handle: RequestListener, { clientOf, refuse, measures }: DoorOptions): Door {
  const { mostYoung, easyYoung, youngMs, mostWaitMs, burst, burstWaitMs, ...probing } = {
    ...MEASURES,
    ...measures,
  };
  /** The requests that run, the oldest first, with the time of their start. */
  const young = new Map<ServerResponse, number>();
  /** The arrivals of each client; the client whose turn is next comes first. */
  const waiting = new Map<string, Arrival[]>();
  /** The number of arrivals. */
  let count = 0;
  let checking = false;
  let pumping = false;
  /** Whether a connection arrived since the last turn of the event loop, and the turns that were left to connections. */
  let connected = false;
  let leftTurns = 0;

  /** The probes of each client, and the time of the first. */
  let probes = new Map<string, number>();
  let probesSince = Number.NEGATIVE_INFINITY;

  /** Whether a probe is let in at once. */
  function passesBy(incoming: IncomingMessage): boolean {
    const now = performance.now();
    if (now - probesSince >= probing.probesMs) {
      probes = new Map();
      probesSince = now;
    }
    const client = clientOf(incoming);
    const count = (probes.get(client) ?? 0) + 1;
    probes.set(client, count);
    return count <= probing.mostProbes;
  }

  function countYoung(): number {
    const earliest = performance.now() - youngMs;
    for (const [outgoing, startedAt] of young) {
      if (startedAt > earliest) break;
      young.delete(outgoing);
    }
    return young.size;
  }

  function letIn(incoming: IncomingMessage, outgoing: ServerResponse): void {
    young.set(outgoing, performance.now());
    outgoing.once('close', () => {
      young.delete(outgoing);
      pumpSoon();
    });
    handle(incoming, outgoing);
  }

  function pumpSoon(): void {
    if (pumping || waiting.size === 0) return;
    pumping = true;
    setImmediate(pump);
  }

  /** Lets one request in a turn. Node accepts one connection a turn, so turns with new connections belong to these. */
  function pump(): void {
    pumping = false;
    const leave = connected && leftTurns < MOST_LEFT_TURNS;
    connected = false;
    leftTurns = leave ? leftTurns + 1 : 0;
    if (!leave && countYoung() >= mostYoung) return;
    if (!leave) letNextIn();
    pumpSoon();
  }

  function letNextIn(): void {
    for (const [client, arrivals] of waiting) {
      waiting.delete(client);
      const next = arrivals.shift();
      count -= 1;
      if (arrivals.length > 0) waiting.set(client, arrivals);
      if (next === undefined || next.outgoing.destroyed || next.incoming.destroyed) continue;
      letIn(next.incoming, next.outgoing);
      return;
    }
  }

  function checkSoon(): void {
    checking = true;
    setTimeout(check, CHECK_MS);
  }

  function check(): void {
    checking = false;
    pumpSoon();
    const now = performance.now();
    for (const [client, arrivals] of waiting) {
      while (
        arrivals[0] !== undefined &&
        arrivals[0].at <= now - (count > burst ? mostWaitMs : burstWaitMs)
      ) {
        const { incoming, outgoing } = arrivals[0];
        arrivals.shift();
        count -= 1;
        if (!(outgoing.destroyed || incoming.destroyed)) refuse(incoming, outgoing);
      }
      if (arrivals.length === 0) waiting.delete(client);
    }
    if (waiting.size > 0) checkSoon();
  }

  const listener: RequestListener = (incoming, outgoing) => {
    if (PROBES.test(incoming.url ?? '') && passesBy(incoming)) {
      handle(incoming, outgoing);
      return;
    }
    if (waiting.size === 0 && countYoung() < Math.min(easyYoung, mostYoung)) {
      letIn(incoming, outgoing);
      return;
    }
    const client = clientOf(incoming);
    const arrival = { incoming, outgoing, at: performance.now() };
    count += 1;
    const arrivals = waiting.get(client);
    if (arrivals === undefined) waiting.set(client, [arrival]);
    else arrivals.push(arrival);
    pumpSoon();
    if (!checking) checkSoon();
  };
  const onConnection = (): void => {
    connected = true;
  };
  return { listener, onConnection };
}
