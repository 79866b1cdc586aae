import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import type { Fault } from './faulty-proxy.ts';

/* The thread of `startFaultyProxy`: a request waits here, and never behind the engine under test. */

const { port } = workerData as { readonly port: number };
/** The time until a request is passed on. */
const WAITS = { slow: 400, late: 6_000 };
const SECRET = 'planted-answer';
let fault: Fault | null = null;
let requests = 0;

const server = createServer((incoming, outgoing) => {
  requests += 1;
  if (fault === 'never') return;
  if (fault === 'reset') incoming.socket.destroy();
  else if (fault === 'slow' || fault === 'late') setTimeout(() => forward(incoming, outgoing), WAITS[fault]);
  else if (fault === null) forward(incoming, outgoing);
  else refuse(fault, outgoing);
});

function refuse(status: 403 | 500, outgoing: ServerResponse): void {
  const code = status === 403 ? 'AccessDenied' : 'InternalError';
  outgoing
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(`<Error><Code>${code}</Code><Message>${SECRET}: planted-key</Message></Error>`);
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { url, method, headers } = incoming;
  const upstream = request({ host: '127.0.0.1', port, path: url, method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  upstream.on('error', () => outgoing.destroy());
  incoming.pipe(upstream);
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') parentPort?.postMessage({ port: address.port });
});

parentPort?.on('message', (next: Fault | null) => {
  const before = requests;
  // Requests that were never answered end here.
  if (next === null && fault === 'never') server.closeAllConnections();
  fault = next;
  requests = 0;
  parentPort?.postMessage({ requests: before });
});
