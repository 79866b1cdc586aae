import { expect, it } from 'vitest';
import { createKeptLists } from '../../../src/mcp/kept-lists.ts';
import type { PlainRequest } from '../../../src/mcp/plain.ts';
import { CALLER, createTestApp, exchange, modern } from './fixture.ts';

const RESPONSE = { jsonrpc: '2.0', id: 7, result: { tools: [] } };

function asking(method: string, cursor?: string): PlainRequest {
  const params = cursor === undefined ? {} : { cursor };
  return { era: 'modern', id: 7, method, params, meta: undefined };
}

it('are dropped when what clients ask with takes too much memory', async () => {
  const { json } = await exchange(createTestApp(), modern('server/discover', { cursor: 'any' }));
  expect(json).toMatchObject({ result: { supportedVersions: ['2026-07-28'] } });
  const find = createKeptLists();
  const ask = (method: string, cursor?: string) => find(asking(method, cursor), CALLER);
  ask('tools/list')?.keep(RESPONSE);
  expect(ask('tools/list')?.answer).toBe('{"result":{"tools":[]},"jsonrpc":"2.0","id":7}');
  // This method has no pages, so each text that a client invents is one more key.
  for (let n = 0; n < 17; n += 1) ask('server/discover', String(n).padEnd(1_000_000))?.keep(RESPONSE);
  expect(ask('tools/list')?.answer).toBeNull();
});
