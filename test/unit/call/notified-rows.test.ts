import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createResultCache } from '../../../src/call/cache.ts';
import { callEndpoint } from '../../../src/call/pipeline.ts';
import { contextOf, errorOf, type Served, serveTree } from './project.ts';

const endpoint = (name: string, more: string) => `tool:
  name: ${name}
${more}  source: { code: SELECT n FROM numbers }
`;
const POLICY = "  policies: { output: [{ condition: user.role == 'anonymous', action: deny }] }\n";
const SEED = 'CREATE TABLE numbers AS FROM range(3) t(n)';

let served: Served;
beforeAll(async () => {
  const tree = { 'tools/closed.yml': endpoint('closed', POLICY), 'tools/open.yml': endpoint('open', '') };
  served = await serveTree(tree, SEED, 'native');
});
afterAll(() => served.close());

async function heard(name: string) {
  const entry = served.runtime.catalog.tools[name];
  if (entry === undefined) throw new Error(name);
  const said: string[] = [];
  const context = {
    ...contextOf(),
    progress: (_: number, __: number, text: string) => void said.push(text),
    notify: (_: string, text: string) => said.push(text.replace(/\d+ ms/, 'N ms')) > 0,
  };
  const call = { runtime: { ...served.runtime, cache }, entry, args: {}, context };
  return { call: callEndpoint(call), said };
}

const cache = createResultCache();

describe('the number of rows that a client hears of', () => {
  // Requirements: noninterference
  it('is not that of a result which an output policy denies', async () => {
    const { call, said } = await heard('closed');
    expect(await errorOf(call)).toMatchObject({ code: 'denied' });
    expect(said).toEqual(['The arguments are checked.', 'The arguments are checked.']);
  });

  // Requirements: noninterference
  it('does not tell whether another call has asked before', async () => {
    const told = [];
    for (let call = 0; call < 4; call += 1) {
      const { call: calling, said } = await heard('open');
      await calling;
      told.push(said);
    }
    expect(told[0]).toContain('The statement took N ms and gave 3 rows.');
    expect(new Set(told.map((said) => said.join('\n')))).toHaveLength(1);
    expect(served.records.map(({ cached }) => cached)).toContain(true);
  });
});
