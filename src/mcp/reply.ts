/** How a client reads replies. */
export type Form = 'json' | 'sse';

/** The form that an `Accept` header asks for: JSON wherever it may be; null: neither. */
export function acceptedForm(accept: string | null): Form | null {
  if (accept === null || /application\/(?:json|\*)|\*\/\*/i.test(accept)) return 'json';
  return /text\/(?:event-stream|\*)/i.test(accept) ? 'sse' : null;
}

const JSON_HEADERS = { 'content-type': 'application/json' };
const SSE_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
};

/** A JSON-RPC response, or a batch of them, as an HTTP response. */
export function toReply(body: unknown, form: Form, status = 200): Response {
  const json = JSON.stringify(body);
  if (form === 'json') return new Response(json, { status, headers: JSON_HEADERS });
  return new Response(`event: message\ndata: ${json}\n\n`, { status, headers: SSE_HEADERS });
}

/** The reply to a POST that held no request. */
export function toAccepted(): Response {
  return new Response(null, { status: 202 });
}
