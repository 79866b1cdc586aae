import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { project, Svc, svc } from '../svc.ts';

const TOOL = `svc: 1
tool:
  name: tagged
  tags: [orders]
  source: { code: SELECT 1 AS one }
`;

// Requirements: toolset.select
it('serves only endpoints with the tags of --tags, over HTTP and stdio', async () => {
  const root = await project();
  writeFileSync(join(root, 'tools/tagged.yml'), TOOL);
  const http = new Svc(['serve', '--port', '0', '--json', '--tags', 'orders'], { cwd: root });
  const [, url = ''] = await http.until(/"url":"([^"]+)"/);
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(list) });
  const { result } = (await answer.json()) as { result: { tools: { name: string }[] } };
  expect(result.tools.map(({ name }) => name)).toEqual(['tagged']);
  // The native engine locks its file.
  http.child.kill('SIGTERM');
  await http.ended;
  const stdio = new Svc(['serve', '--transport', 'stdio', '--tags', 'orders'], { cwd: root });
  const begin = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
  const messages = [{ jsonrpc: '2.0', id: 0, method: 'initialize', params: begin }, list];
  stdio.child.stdin?.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
  const [line] = await stdio.until(/\{.*"tools":\[.*\n/);
  expect(line).toContain('"tagged"');
  expect(line).not.toContain('hello_world');
});

it('ends with 2 for a tag that no endpoint has', async () => {
  const { code, stderr } = await svc(['serve', '--port', '0', '--tags', 'nothing'], await project());
  expect(code).toBe(2);
  expect(stderr).toContain('No endpoint has the tag nothing.');
});
