import { expect, it } from 'vitest';
import type { JsonValue } from '../../../../src/json.ts';
import { toContents } from '../../../../src/mcp/methods/result.ts';

function textOf(mimeType: string, value: JsonValue): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const outcome = { value, text, binary: false, truncated: null };
  return toContents({ uri: 'shop://x', mimeType, outcome }).text;
}

const ROWS = [
  { id: 1, name: 'Ada, "A"' },
  { id: 2, name: null },
];

it.each([
  ['text/csv', ROWS, 'id,name\r\n1,"Ada, ""A"""\r\n2,\r\n'],
  ['text/csv; charset=utf-8', { id: 1 }, 'id\r\n1\r\n'],
  ['text/markdown', ROWS, '| id | name |\n|---|---|\n| 1 | Ada, "A" |\n| 2 |  |'],
  ['text/csv', 'id\n1', 'id\n1'],
  ['text/csv-schema', ROWS, JSON.stringify(ROWS)],
  ['text/plain', ROWS, JSON.stringify(ROWS)],
  ['text/csv', 7, '7'],
  ['text/csv', [], ''],
  ['text/markdown', [{}], '[{}]'],
] as const)('rows of a resource of type %s', (mimeType, value, text) => {
  expect(textOf(mimeType, value)).toBe(text);
});
