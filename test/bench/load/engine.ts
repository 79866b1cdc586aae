import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { announce } from './announce.ts';
import { openRows } from './rows.ts';

/* The engine alone behind HTTP, without MCP: the database named in argv. */

const [, , path = ''] = process.argv;
const read = await openRows(path);

announce(
  createServer(async (request, response) => {
    const { id, params } = JSON.parse(await text(request));
    const row = await read(params.arguments.id);
    const content = [{ type: 'text', text: JSON.stringify(row) }];
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { content, structuredContent: row } }));
  }),
);
