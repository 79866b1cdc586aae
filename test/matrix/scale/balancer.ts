import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** Where an instance is, or was: nobody tells the balancer that it has died. */
export interface Place {
  /** Null while it is taken out of the rotation. */
  url: URL | null;
  /** Which calls it has been given and has not answered, by their header `x-call`. */
  readonly running: Set<string>;
  /** Every call that it was given, in order; one that found nobody there too. */
  readonly given: string[];
  answered: number;
}

/** A round-robin proxy that knows nothing of what it passes on. */
export interface Balancer {
  readonly origin: string;
  readonly places: readonly Place[];
  /** Settles when the place is given a call. */
  given(place: Place): Promise<void>;
  /** Takes the place out of the rotation; settles when it has answered what it was given. */
  drain(place: Place): Promise<void>;
  close(): Promise<void>;
}

interface Call {
  readonly id: string;
  readonly request: IncomingMessage;
  readonly body: Buffer;
}

/** Starts a balancer over as many places, all of them empty. */
export async function createBalancer(count: number): Promise<Balancer> {
  const places = Array.from(
    { length: count },
    (): Place => ({ url: null, running: new Set(), given: [], answered: 0 }),
  );
  const waiting = new Map<Place, () => void>();
  const draining = new Map<Place, () => void>();
  let turn = 0;
  const next = () => {
    turn += 1;
    return places[turn % count];
  };
  const server = createServer(async (request, response) => {
    const id = String(request.headers['x-call']);
    const call = { id, request, body: await buffer(request) };
    for (let attempt = 0; attempt < 2 * count; attempt += 1) {
      const place = next();
      if (!place?.url) continue;
      const passed = pass(place, place.url, call, response);
      waiting.get(place)?.();
      waiting.delete(place);
      const answered = await passed;
      if (place.running.size === 0) draining.get(place)?.();
      if (answered) return;
    }
    response.writeHead(502).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    places,
    given: (place) =>
      new Promise((resolve) => {
        waiting.set(place, resolve);
      }),
    drain: async (place) => {
      place.url = null;
      if (place.running.size === 0) return;
      await new Promise<void>((resolve) => {
        draining.set(place, resolve);
      });
      draining.delete(place);
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** False where nobody listens: then nothing was sent, and another may have it. What breaks later is never repeated. */
function pass(
  place: Place,
  url: URL,
  { id, request, body }: Call,
  response: ServerResponse,
): Promise<boolean> {
  place.running.add(id);
  place.given.push(id);
  const { method, url: path = '/', headers } = request;
  return new Promise((resolve) => {
    const done = (passed: boolean) => {
      place.running.delete(id);
      resolve(passed);
    };
    const sent = httpRequest(url, { path, method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
      answer.once('end', () => {
        place.answered += 1;
        done(true);
      });
      answer.once('error', () => {
        response.destroy();
        done(true);
      });
    });
    sent.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') return done(false);
      response.destroy();
      done(true);
    });
    sent.end(body);
  });
}
