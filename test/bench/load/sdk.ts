import { serve } from '@hono/node-server';
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { openRows } from './rows.ts';

/* A server as an engineer writes it on the MCP SDK: one tool over the database named in argv. */

const [, , path = ''] = process.argv;
const read = await openRows(path);
const inputSchema = fromJsonSchema<{ id: number }>({
  type: 'object',
  properties: { id: { type: 'integer' } },
  required: ['id'],
});

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  server.registerTool('tool_3', { description: 'The customer with an id', inputSchema }, async ({ id }) => {
    const row = await read(id);
    return { content: [{ type: 'text', text: JSON.stringify(row) }], structuredContent: { ...row } };
  });
  return server;
});

serve({ fetch: (request) => handler.fetch(request), port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}/mcp` })}\n`);
});
process.once('SIGTERM', () => process.exit(0));
