import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { announce } from './announce.ts';

/* The floor: HTTP and JSON alone, with a constant answer. */

const ANSWER = '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Hello, customer 7"}]}}';

announce(
  createServer(async (request, response) => {
    JSON.parse(await text(request));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': ANSWER.length });
    response.end(ANSWER);
  }),
);
