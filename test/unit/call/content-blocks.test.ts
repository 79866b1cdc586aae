import { describe, expect, it } from 'vitest';
import { toBlocks } from '../../../src/call/content-blocks.ts';

const MP3 = { type: 'audio', mime_type: 'audio/mpeg' };
const FILE = { type: 'resource', uri: 'shop://files/1' };

describe('the rows of a tool with `content: rows`', () => {
  it('become the blocks that they describe', () => {
    const rows = [
      { type: 'text', text: 'Hi' },
      { ...MP3, data: 'aGk=' },
      { ...FILE, data: 'aGk=' },
    ];
    expect(toBlocks(rows, 'files')).toEqual([
      { type: 'text', text: 'Hi' },
      { type: 'audio', data: 'aGk=', mimeType: 'audio/mpeg' },
      {
        type: 'resource',
        resource: { uri: 'shop://files/1', mimeType: 'application/octet-stream', blob: 'aGk=' },
      },
    ]);
  });

  // A client refuses a whole result for one block whose bytes are not base64.
  it.each([
    [{ ...MP3, data: 'a text, and no BLOB' }],
    [{ ...MP3, data: '****' }],
    [{ ...FILE, data: 'é' }],
    [{ type: 'image', data: 'aGk=' }],
    [{ type: 'text', text: null }],
    [null],
  ])('describe no block in %j', (row) => {
    expect(() => toBlocks([{ type: 'text', text: 'Hi' }, row], 'files')).toThrow(
      'Row 2 of files is no block of content.',
    );
  });
});
