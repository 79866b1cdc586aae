/** A response with the moment at which nothing more of it will come. */
export interface Followed {
  readonly response: Response;
  readonly ended: Promise<void>;
}

/** Follows a stream of events to its end, also where its reader leaves; any other answer is whole already. */
export function afterBody(response: Response): Followed {
  const { body, headers, status } = response;
  if (body === null || !headers.get('content-type')?.startsWith('text/event-stream')) {
    return { response, ended: Promise.resolve() };
  }
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const ended = body.pipeTo(writable).catch(() => {});
  return { response: new Response(readable, { status, headers }), ended };
}
