import type { LiveCalls } from '../../src/admin/live-calls.ts';
import type { WorkbenchEvent } from './model.ts';

/** Tells the page that the project was read again. */
export interface ProjectFeed {
  announce(hash: string): void;
  subscribe(listener: (hash: string) => void): () => void;
}

/** Makes a feed without listeners. */
export function createProjectFeed(): ProjectFeed {
  const listeners = new Set<(hash: string) => void>();
  return {
    announce: (hash) => {
      for (const listener of listeners) listener(hash);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** A stream of server-sent events: each call when it ends, and each change of the project. */
export function toEventStream(live: LiveCalls, feed: ProjectFeed, signal: AbortSignal): Response {
  const encoder = new TextEncoder();
  let stop = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (event: WorkbenchEvent) =>
        controller.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
      // The browser fires `open` when the headers and the first bytes are there.
      controller.enqueue(encoder.encode(': open\n\n'));
      const ends = [live.subscribe((call) => send({ call })), feed.subscribe((project) => send({ project }))];
      stop = () => {
        for (const end of ends) end();
      };
      signal.addEventListener('abort', stop);
    },
    cancel: () => stop(),
  });
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
  });
}
