import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../../src/app.ts';
import { LOCAL_ACCESS } from '../../../src/http/access.ts';
import { estimateTokens, toTokenBill } from '../../../src/quality/lint/token-bill.ts';
import { toManyTools } from '../../fixtures/many-tools.ts';
import { type Served, serveTree } from '../call/project.ts';
import { modern, post } from '../mcp/fixture.ts';

let listed: Served;
let searched: Served;

beforeAll(async () => {
  const site = 'svc: 1\nproject: demo\nprofile: default\n';
  const tools = toManyTools();
  listed = await serveTree({ 'svc-site.yml': site, ...tools }, '');
  searched = await serveTree({ 'svc-site.yml': `${site}tool_search: true\n`, ...tools }, '');
});
afterAll(() => Promise.all([listed.close(), searched.close()]));

/** The tools that a client gets from all pages of the list. */
async function toolsOf({ runtime }: Served, path: string): Promise<readonly { [key: string]: string }[]> {
  const { log } = runtime;
  const parts = { version: '1.2.3', stateless: true, log, access: LOCAL_ACCESS };
  const app = createApp({ runtime: () => runtime, ...parts });
  const tools: { [key: string]: string }[] = [];
  let cursor: string | undefined;
  do {
    const { body, headers } = modern('tools/list', cursor === undefined ? {} : { cursor });
    const { result } = await (await app.fetch(post(body, headers, path))).json();
    tools.push(...result.tools);
    cursor = result.nextCursor;
  } while (cursor !== undefined);
  return tools;
}

describe('the token bill of 200 tools', () => {
  // Requirements: toolset.bill
  it('is that of the lists which clients get: all, of a toolset, and of tool_search', async () => {
    const bill = toTokenBill(listed.runtime.catalog);
    const all = await toolsOf(listed, '/mcp');
    expect(all).toHaveLength(200);
    expect(bill.listed).toBe(estimateTokens(all));
    for (const { tag, tools, tokens } of bill.toolsets) {
      const some = await toolsOf(listed, `/mcp?tags=${tag}`);
      expect([tag, some.length, estimateTokens(some)]).toEqual([tag, tools, tokens]);
    }
    const two = await toolsOf(searched, '/mcp');
    expect(two.map(({ name }) => name)).toEqual(['call', 'search']);
    expect(bill.searched).toBe(estimateTokens(two));
  });
});
