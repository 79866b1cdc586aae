import { serve } from '@hono/node-server';
import { Hono } from 'hono';

/* What HTTP alone costs: parse JSON, answer JSON of the size of a small tool result. */

const app = new Hono();
app.post('/mcp', async (c) => {
  const { id, params } = JSON.parse(await c.req.text());
  return c.json({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: params.name }] } });
});
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1', overrideGlobalObjects: false }, ({ port }) => {
  process.stderr.write(
    `${JSON.stringify({ fields: { url: `http://127.0.0.1:${port}/mcp` }, url: `http://127.0.0.1:${port}/mcp` })}\n`,
  );
});
process.once('SIGTERM', () => process.exit(0));
