import { expect, it } from 'vitest';
import { callFunction, type PythonLine } from '../../../../../adapters/python/protocol/protocol.ts';
import { SETTINGS } from '../../../../engine/python/settings.ts';
import { createHost } from '../../../../engine/python/subject.ts';

const REQUEST = {
  file: 'python/a.py',
  name: 'a',
  args: {},
  kinds: {},
  user: null,
  maxRows: 10,
  maxBytes: 1_000_000,
};

it.each([
  ['no JSON', () => '{"op": "ask", "done": NaN}'],
  ['the answer to another call', (id: number) => `{"op":"done","id":${id - 1},"value":"of another"}`],
])('an interpreter that says %s answers nobody any more', async (_what, say) => {
  const killed: string[] = [];
  const line: PythonLine = {
    exchange: async (text) => say(JSON.parse(text).id),
    kill: ({ message }) => void killed.push(message),
  };
  const work = callFunction(line, REQUEST, { settings: SETTINGS, host: createHost() });
  await expect(work).rejects.toMatchObject({ code: 'python_failed' });
  expect(killed).toEqual(['Python sent a message that does not belong to its call.']);
});
