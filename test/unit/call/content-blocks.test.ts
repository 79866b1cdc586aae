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

  const LINK = { type: 'resource_link', uri: 'shop://files/1', name: 'One' };
  it.each([
    [MP3, { data: 'aGk=' }, { data: '****' }],
    [MP3, { data: 'aGk=' }, {}],
    [{ type: 'image', data: 'aGk=' }, { mime_type: 'image/png' }, { mime_type: '****' }],
    [{ data: 'aGk=', mime_type: 'image/png' }, { type: 'image' }, { type: '****' }],
    [{ type: 'resource', text: 'Hi' }, { uri: 'shop://files/1' }, { uri: '****' }],
    [{ type: 'resource', text: 'Hi' }, { uri: 'shop://files/1' }, {}],
    [{ ...FILE, text: 'Hi' }, { mime_type: 'text/css' }, { mime_type: '****' }],
    [{ type: 'resource_link' }, { uri: 'shop://files/1' }, { uri: '****' }],
    [{ type: 'text' }, { text: 'Hi' }, {}],
  ])('become no block if a policy hides a needed part: %j', (row, shown, hidden) => {
    const text = { type: 'text', text: 'Hi' };
    const before = [text, { ...row, ...shown }];
    expect(toBlocks(before, 'files', before)).toHaveLength(2);
    expect(toBlocks([text, { ...row, ...hidden }], 'files', before)).toEqual([text]);
    expect(() => toBlocks([{ ...row, ...hidden }], 'files', [])).toThrow('Row 1 of files');
    expect(() => toBlocks([text, null], 'files', [text, { type: 'none' }])).toThrow('Row 2 of files');
  });

  it('keep the blocks whose words a policy masks', () => {
    const rows = [
      { type: 'text', text: '****' },
      { ...LINK, name: '****' },
    ];
    expect(toBlocks(rows, 'files', [])).toEqual(rows);
  });

  it('keep the blocks that do not have what a policy masks', () => {
    const masked = { uri: '****', mime_type: '****' };
    const rows = [
      { type: 'text', text: 'Hi', ...masked },
      { ...LINK, mime_type: '****' },
      { ...MP3, data: 'aGk=', uri: '****' },
    ];
    expect(toBlocks(rows, 'files', [])).toEqual([
      { type: 'text', text: 'Hi' },
      LINK,
      { type: 'audio', data: 'aGk=', mimeType: 'audio/mpeg' },
    ]);
  });
});
