import { expect, it } from 'vitest';
import { SvcError } from '../../../src/errors.ts';
import { createKeptLists } from '../../../src/mcp/kept-lists.ts';
import type { PlainRequest } from '../../../src/mcp/plain.ts';
import { CALLER, createTestApp, exchange, modern } from './fixture.ts';

const RESPONSE = { jsonrpc: '2.0', id: 7, result: { tools: [] } };

function asking(method: string, cursor?: string): PlainRequest {
  const params = cursor === undefined ? {} : { cursor };
  return { era: 'modern', id: 7, method, params, meta: undefined };
}

it('are dropped when they take too much memory', () => {
  const find = createKeptLists();
  const refuse = () => new SvcError('internal', 'nothing is refused here');
  const ask = (method: string, scope = 'svc:access') =>
    find(asking(method), { ...CALLER, grant: { scopes: [scope], refuse } });
  ask('tools/list')?.keep(RESPONSE);
  expect(ask('tools/list')?.answer).toBe('{"result":{"tools":[]},"jsonrpc":"2.0","id":7}');
  for (let n = 0; n < 17; n += 1) ask('prompts/list', String(n).padEnd(1_000_000))?.keep(RESPONSE);
  expect(ask('tools/list')?.answer).toBeNull();
});

it('keep nothing of the cursors that a client invents', async () => {
  const { json } = await exchange(createTestApp(), modern('server/discover', { cursor: 'any' }));
  expect(json).toMatchObject({ result: { supportedVersions: ['2026-07-28'] } });
  const find = createKeptLists();
  const discover = (cursor?: string) => find(asking('server/discover', cursor), CALLER);
  discover('planted')?.keep(RESPONSE);
  expect(discover()?.answer).toBe('{"result":{"tools":[]},"jsonrpc":"2.0","id":7}');
  expect(discover('other')?.answer).toBe(discover()?.answer);
  find(asking('tools/list', 'one'), CALLER)?.keep(RESPONSE);
  expect(find(asking('tools/list', 'other'), CALLER)?.answer).toBeNull();
});
