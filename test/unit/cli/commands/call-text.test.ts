import { describe, expect, it } from 'vitest';
import { toToolText } from '../../../../cli/commands/call.ts';

const text = (value: string) => ({ type: 'text', text: value });

describe('the result of a tool, for people', () => {
  it('is its value as a table, and what else the server says about it', () => {
    const structuredContent = { result: [{ n: 1 }] };
    expect(toToolText({ structuredContent, content: [text('[{"n":1}]')] })).toBe('n\n1\n(1 row)');
    const cut = text('Truncated (rows). Only the first row is shown.');
    expect(toToolText({ structuredContent, content: [text('[{"n":1}]'), cut] })).toBe(
      'n\n1\n(1 row)\nTruncated (rows). Only the first row is shown.',
    );
  });

  it('is the summary and the link of a large result, never its first rows as if they were all', () => {
    const content = [text('300 rows, 1 column.'), { type: 'resource_link', uri: 'svc-result:abc' }];
    expect(toToolText({ structuredContent: { result: [{ n: 1 }] }, content })).toBe(
      '300 rows, 1 column.\n-> svc-result:abc',
    );
  });
});
