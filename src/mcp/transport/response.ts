import { ANSWERED } from '../../errors.ts';
import { toEvent } from './event-stream.ts';

/** The form in which a client reads responses. */
export type Form = 'json' | 'sse';

/** A response whose body is a text. Data, because a `Response` costs as much as the rest of a short call's HTTP. */
export interface TextResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Makes the HTTP response of one exchange from a JSON-RPC response, or from a batch of them. */
export type Responder = (body: unknown, status?: number, extra?: Record<string, string>) => TextResponse;

/** The form that an `Accept` header asks for, JSON if both are allowed; null if neither is. */
export function acceptedForm(accept: string | null): Form | null {
  if (accept === null || /application\/(?:json|\*)|\*\/\*/i.test(accept)) return 'json';
  return /text\/(?:event-stream|\*)/i.test(accept) ? 'sse' : null;
}

const SSE_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
};

export const JSON_HEADERS = { 'content-type': 'application/json' };

/** Makes responses in the form that the client reads. */
export function createResponder(form: Form): Responder {
  return (body, status = ANSWERED, extra = {}) => {
    if (form === 'sse') return { status, headers: { ...SSE_HEADERS, ...extra }, text: toEvent(body) };
    return { status, headers: { ...JSON_HEADERS, ...extra }, text: JSON.stringify(body) };
  };
}

/** The response that streams messages, for a running call or a listening client. Its status is sent before the outcome is known. */
export function toStream(readable: ReadableStream<Uint8Array>): Response {
  return new Response(readable, { status: ANSWERED, headers: SSE_HEADERS });
}

/** Whether a client reads streams of messages. */
export function readsStreams(accept: string | null): boolean {
  return accept === null || /text\/(?:event-stream|\*)|\*\/\*/i.test(accept);
}

/** The response to a POST without a request in it. */
export function toAccepted(): Response {
  return new Response(null, { status: 202 });
}

/** Makes a `Response`, unless the answer is one. */
export function toResponse(answer: Response | TextResponse): Response {
  return 'body' in answer ? answer : new Response(answer.text, answer);
}
