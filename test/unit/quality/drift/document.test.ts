import { describe, expect, it } from 'vitest';
import { BASELINE, LOCK, parseDocument, toDocument } from '../../../../src/quality/drift/document.ts';

const CONTENT = { tables: { sales: { kind: 'table', columns: [{ name: 'x', type: 'INTEGER' }] } } };

describe('a document to compare with', () => {
  it('comes back as it was, told by the hash of its content', async () => {
    const { hash, text } = await toDocument(BASELINE, CONTENT);
    expect(await parseDocument(BASELINE, text, 'a.json')).toEqual({ hash, content: CONTENT });
    const { kind, columns } = CONTENT.tables.sales;
    const turned = { tables: { sales: { columns, kind } } };
    expect((await toDocument(BASELINE, turned)).hash).toBe(hash);
    expect(text.endsWith('}\n')).toBe(true);
  });

  it.each([
    [
      'torn',
      (text: string) => text.slice(0, 80),
      /a\.json is not a valid drift baseline: it is incomplete or not JSON\. Make/,
    ],
    ['empty', () => '', /it is incomplete/],
    ['another kind of JSON', () => '{"tables": {}}', /a file of another kind/],
    ['a list', () => '[1]', /a file of another kind/],
    [
      'another version',
      (text: string) => text.replace('"svc_drift": 1', '"svc_drift": 2'),
      /version 2, and this is 1/,
    ],
    ['edited', (text: string) => text.replace('INTEGER', 'BIGINT'), /edited or merged by hand/],
    ['merged', (text: string) => text.replace('"hash"', '"was"'), /edited or merged by hand/],
  ])('is refused when it is %s, with the way to another', async (_what, spoil, why) => {
    const { text } = await toDocument(BASELINE, CONTENT);
    const reading = parseDocument(BASELINE, spoil(text), 'a.json');
    await expect(reading).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringMatching(why),
    });
    await expect(reading).rejects.toThrow('svc drift-snapshot');
  });

  it('is no lock when it is a baseline', async () => {
    const { text } = await toDocument(BASELINE, CONTENT);
    await expect(parseDocument(LOCK, text, 'svc-lock.json')).rejects.toThrow('svc lock');
  });
});
