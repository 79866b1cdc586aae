import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../../src/json.ts';
import { compareEnded } from '../../../../src/quality/replay/compare.ts';
import { type Ended, toRecordedCall } from '../../../../src/quality/replay/record.ts';

const ended = (change: Partial<Ended> = {}): Ended => ({
  status: 'success',
  durationMs: 1,
  decision: 'n/a',
  errorCode: null,
  errorText: null,
  rows: null,
  ...change,
});
const values = (before: JsonValue, after: JsonValue) =>
  compareEnded(ended({ value: before }), ended({ value: after }));

describe('two ends of a call', () => {
  it('differ in the decision, in how they end, and in the number of rows', () => {
    expect(compareEnded(ended({ decision: 'deny', status: 'error', errorCode: 'denied' }), ended())).toEqual([
      { what: 'decision', old: 'deny', new: 'n/a' },
      { what: 'status', old: 'denied', new: 'success' },
    ]);
    expect(compareEnded(ended({ rows: 2 }), ended({ rows: 3 }))).toEqual([{ what: 'rows', old: 2, new: 3 }]);
    expect(compareEnded(ended({ rows: 2 }), ended({ rows: null, decision: null }))).toEqual([]);
  });

  it('of failures the ids do not count', () => {
    const failed = (errorText: string) => ended({ status: 'error', errorText });
    expect(compareEnded(failed('No. (error id 1)'), failed('No. (error id 2)'))).toEqual([]);
    expect(compareEnded(failed('No.'), failed('Never.'))).toEqual([
      { what: 'status', old: 'No.', new: 'Never.' },
    ]);
  });

  it.each<[JsonValue, JsonValue, string, string, string]>([
    [[{ a: 1 }], [{ a: '1' }], '[].a', 'number', 'string'],
    [[{ a: 1 }], [{ b: 1 }], '[].a', 'number', 'absent'],
    [{ a: { b: [1] } }, { a: { b: { c: 1 } } }, 'a.b', 'array', 'object'],
  ])('differ in shape: %j, %j', (before, after, path, old, now) => {
    expect(values(before, after)).toContainEqual({ what: 'shape', path, old, new: now });
  });

  it('differ in rows of the same shape, at the first place', () => {
    expect(values([{ a: 1, b: 'x' }], [{ b: 'y', a: 1 }])).toEqual([
      { what: 'rows', path: '[0].b', old: 'x', new: 'y' },
    ]);
  });

  it('differ in a key that only some rows have', () => {
    const [before, after] = [
      [{ a: 1, b: 2 }, { a: 1 }],
      [
        { a: 1, b: 2 },
        { a: 1, b: 9 },
      ],
    ];
    expect(values(before, after)).toEqual([{ what: 'rows', path: '[1].b', old: null, new: 9 }]);
    expect(values(after, before)).toEqual([{ what: 'rows', path: '[1].b', old: 9, new: null }]);
  });

  it('differ in the first line of a text that is all of the answer', () => {
    const text = (recorded: string, now: string) =>
      compareEnded(ended({ rows: 2 }), ended({ text: { recorded, now } }));
    expect(text('id\n1\n2', 'id\n1\n2')).toEqual([]);
    expect(text('id\n1\n2', 'id\n1\n3')).toEqual([{ what: 'rows', path: 'line 3', old: '2', new: '3' }]);
    expect(text('id\n1', 'id\n1\n3')).toEqual([{ what: 'rows', path: 'line 3', old: null, new: '3' }]);
  });

  it.each<[JsonValue, JsonValue, string, number, number]>([
    [{ tags: ['a'] }, { tags: ['a', 'b'] }, 'tags.length', 1, 2],
    [{ tags: ['a', null] }, { tags: ['a'] }, 'tags.length', 2, 1],
    [[1, 2], [1, 2, 3], 'length', 2, 3],
  ])('differ in how long a list is: %j, %j', (before, after, path, old, now) => {
    expect(values(before, after)).toEqual([{ what: 'rows', path, old, new: now }]);
  });

  it.each<[JsonValue, JsonValue]>([
    [[{ a: 1 }], [{ a: 1 }]],
    [{ tags: ['a', '[CUT: 2 more items]'] }, { tags: ['a', 'b', 'c'] }],
    [
      [{ a: 1 }, { a: null }],
      [{ a: 1 }, { a: null }],
    ],
    [[], []],
    [
      { a: '[REDACTED]', b: 1 },
      { a: { c: 1 }, b: 1 },
    ],
    [
      [{ a: 1 }, '[CUT: 3 more items]'],
      [{ a: 1 }, { a: 2 }, { a: 3 }, { a: 4 }],
    ],
    ['a text[CUT: 9 more characters]', 'a text that goes on'],
    [
      { a: 1, '[CUT]': '[CUT: 2 more keys]' },
      { a: 1, b: 2, c: 3 },
    ],
  ])('are the same where nothing is known to differ: %j, %j', (before, after) => {
    expect(values(before, after)).toEqual([]);
  });
});

describe('a record', () => {
  const fields = {
    record_id: 'r',
    timestamp: '2026-01-01T00:00:00Z',
    operation_type: 'tool',
    operation_name: 'find',
    operation_status: 'success',
    duration_ms: 3,
    input_data: { id: 1 },
  };
  it('is a call to repeat, or says why it is none', () => {
    expect(toRecordedCall(fields)).toMatchObject({ call: { name: 'find', args: { id: 1 } } });
    const skips = [
      { operation_type: 'eval' },
      { input_data: undefined },
      { input_data: { id: { token: '[REDACTED]' } } },
      { input_data: { id: 'a[CUT: 9 more characters]' } },
      { operation_status: 'error', error_code: 'busy' },
    ].map((change) => toRecordedCall({ ...fields, ...change }));
    expect(skips).toEqual([
      { skip: 'foreign' },
      { skip: 'unrecorded' },
      { skip: 'redacted' },
      { skip: 'redacted' },
      { skip: 'circumstances' },
    ]);
  });
});

it('a record of a request that named no endpoint is not repeated', () => {
  const fields = { operation_type: 'tool', operation_name: '', input_data: {}, operation_status: 'error' };
  expect(toRecordedCall({ ...fields, error_code: 'arguments_invalid' })).toEqual({ skip: 'circumstances' });
});
