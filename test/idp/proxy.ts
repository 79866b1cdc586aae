import { request as httpRequest, type RequestListener } from 'node:http';
import { createHost, type Host } from './host.ts';

/** An address that is known before there is a server behind it, as a domain is. */
export interface PublicFront extends Host {
  readonly mcp: URL;
  readonly callback: string;
  /** Where requests go from now on, asked for each one; `left` is told when one is answered. */
  pass(next: () => URL | Promise<URL>, left?: (url: URL) => void): void;
}

/** A proxy that adds nothing and follows nothing. */
export async function createFront(): Promise<PublicFront> {
  const host = await createHost();
  return {
    ...host,
    mcp: new URL(`${host.origin}/mcp`),
    callback: `${host.origin}/callback`,
    pass: (next, left = () => undefined) => host.serve(forward(next, left)),
  };
}

function forward(next: () => URL | Promise<URL>, left: (url: URL) => void): RequestListener {
  return async (request, response) => {
    try {
      const { method, headers, url = '/' } = request;
      const target = await next();
      response.once('close', () => left(target));
      const sent = httpRequest(target, { path: url, method, headers, agent: false }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(response);
      });
      sent.on('error', () => response.destroy());
      request.pipe(sent);
    } catch {
      response.writeHead(502).end();
    }
  };
}
