import type { Extra } from '../../src/app.ts';
import { isEventStream } from '../../src/streams.ts';
import type { ArtefactServer } from './server.ts';

/** Keeps an instance alive until the work has ended, even if the client has its answer or has left. */
export type WaitUntil = (work: Promise<unknown>) => void;

/**
 * Answers a request on a platform that stops an instance after its answer, except for work passed to `waitUntil`:
 * loading the configuration, opening the database, the answer itself, and sending telemetry once it has ended.
 */
export async function fetchInBackground(
  server: ArtefactServer,
  request: Request,
  extra: Extra,
  waitUntil: WaitUntil,
): Promise<Response> {
  const gated = server.gate();
  waitUntil(gated);
  // All requests of an instance share one opening of the database. Without `waitUntil`, it would be cut off together
  // with the first client. It starts here while the body is still arriving.
  const { refuses } = await gated;
  if (!refuses && mayQuery(request)) {
    waitUntil(
      server
        .runtime()
        .database()
        .catch(() => null),
    );
  }
  const answering = server.fetch(request, extra);
  // A client that leaves would otherwise cut off the renewal of its session, and the provider's new tokens would be lost.
  waitUntil(answering.catch(() => null));
  const answer = await answering;
  const telemetry = server.telemetry();
  if (telemetry === null) return answer;
  const { response, ended } = followBody(answer);
  waitUntil(ended.then(() => telemetry.flush()));
  return response;
}

function mayQuery({ method, url }: Request): boolean {
  return method === 'POST' || new URL(url).pathname === '/ready';
}

/** A response, and a promise that resolves when its body has ended. */
export interface FollowedResponse {
  readonly response: Response;
  readonly ended: Promise<void>;
}

/**
 * Follows an event stream until it ends or its reader leaves. Other responses have their whole body already, so
 * `ended` is resolved.
 */
export function followBody(response: Response): FollowedResponse {
  const { body, headers, status } = response;
  if (body === null || !isEventStream(response)) {
    return { response, ended: Promise.resolve() };
  }
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const ended = body.pipeTo(writable).catch(() => {});
  return { response: new Response(readable, { status, headers }), ended };
}
