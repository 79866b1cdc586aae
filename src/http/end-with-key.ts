/** The part of a caller that can end its streams. */
interface RevocableCaller {
  /** Aborts when the caller's API key is removed or changed. */
  readonly revoked?: AbortSignal;
}

/** Ends a stream of events when its caller's API key is removed, because no further request would be accepted. */
export function endWithKey(response: Response, { revoked }: RevocableCaller): Response {
  const { body, headers } = response;
  const streams = headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (revoked === undefined || body === null || !streams) return response;
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  body
    .pipeTo(writable, { signal: revoked, preventAbort: true })
    // The stream ends properly, unless the client has left before.
    .catch(() => writable.close())
    .catch(() => {});
  return new Response(readable, response);
}
