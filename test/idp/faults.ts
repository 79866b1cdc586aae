import type { IncomingMessage, ServerResponse } from 'node:http';

/** What goes wrong with one request. */
export type Fault = (request: IncomingMessage, response: ServerResponse) => void;

const JSON_TYPE = { 'content-type': 'application/json' };

/** An answer with a status and a JSON body. */
export const answers =
  (status: number, body: unknown = {}, headers: Readonly<Record<string, string>> = {}): Fault =>
  (_request, response) => {
    response.writeHead(status, { ...JSON_TYPE, ...headers }).end(JSON.stringify(body));
  };

/** JSON that breaks off. */
export const malformed: Fault = (_request, response) => {
  response.writeHead(200, JSON_TYPE).end('{"access_token": "leaked-');
};

/** A page where JSON should be. */
export const page: Fault = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end('{"access_token":"leaked-page"}');
};

/** A page of a proxy or a firewall, which refuses the request. */
export const refusedPage =
  (status: number): Fault =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>leaked-text</h1>');
  };

/** Two megabytes of JSON. */
export const huge: Fault = (_request, response) => {
  response.writeHead(200, JSON_TYPE).end(JSON.stringify({ padding: 'x'.repeat(2_000_000) }));
};

/** Never answers. */
export const silent: Fault = () => undefined;

/** Sends the head and never the body. */
export const slowBody: Fault = (_request, response) => {
  response.writeHead(200, JSON_TYPE);
  response.write('{');
};

/** Hangs up. */
export const hangsUp: Fault = (request) => {
  request.socket.destroy();
};

/** Sends elsewhere. */
export const moved =
  (location: string): Fault =>
  (_request, response) => {
    response.writeHead(307, { location }).end();
  };
