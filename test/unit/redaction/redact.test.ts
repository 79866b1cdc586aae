import { expect, it } from 'vitest';
import type { JsonValue } from '../../../src/json.ts';
import { createRedactor, createTextRedactor } from '../../../src/redaction/redact.ts';
import { createConcealment } from '../../../src/settings/references/concealment.ts';
import type { Parameter, TypeNode } from '../../../src/types/node.ts';

/** A redactor of a call with one sensitive argument. */
const redactorOf = (value: string) =>
  createTextRedactor({
    args: { note: value },
    parameters: [{ name: 'note', type: 'string', sensitive: true }],
    credentials: [],
  });

it('a sensitive text that is longer than what the log shows is removed whole', () => {
  const note = 'a note that is private. '.repeat(5_000);
  const shown = redactorOf(note)(`Conversion Error: Could not convert string '${note}' to INT32`);
  expect(shown).toBe("Conversion Error: Could not convert string '[REDACTED]' to INT32");
});

it('a sensitive text is removed where the text is cut', () => {
  const note = 'a note that is private. ';
  const shown = redactorOf(note)(`x${note.repeat(5_000)}`);
  expect(shown).not.toContain('a note');
  expect(shown).toMatch(/\[CUT: \d+ more characters\]$/);
});

it.each([
  ['a line of it', 'planted one\r\nplanted two', 'planted two'],
  ['without the blanks around it', ' planted one ', 'planted one'],
  ['percent-encoded', "planted a/b's", "planted%20a%2Fb's"],
  ["by Python's quote", "planted a/b's (c)", 'planted%20a/b%27s%20%28c%29'],
  ["by Python's quote_plus", "planted a/b's (c)", 'planted+a%2Fb%27s+%28c%29'],
  ['in an address', 'planted a&b=ü', 'planted%20a&b=%C3%BC'],
  ['quoted by JSON', 'planted "a"\n', 'planted \\"a\\"\\n'],
  ["quoted by Python's json.dumps", 'planted ü\u{1f600}', 'planted \\u00fc\\ud83d\\ude00'],
  ["by Python's repr", 'planted \\ \u0007 \u00a0 \u2028 ü\n', 'planted \\\\ \\x07 \\xa0 \\u2028 ü\\n'],
  ["by Python's repr, with both quotes", `planted 'a' "b"`, `planted \\'a\\' "b"`],
])('a sensitive text is removed in each form: %s', (_, value, form) => {
  expect(redactorOf(value)(`before <${form}> after`)).toBe('before <[REDACTED]> after');
});

it('a sensitive text that is a part of another one leaves no rest of it', () => {
  const redact = createTextRedactor({
    args: { one: 'planted', other: 'planted-and-more' },
    parameters: [
      { name: 'one', type: 'string', sensitive: true },
      { name: 'other', type: 'string', sensitive: true },
    ],
    credentials: [],
  });
  expect(redact('planted-and-more, planted')).toBe('[REDACTED], [REDACTED]');
});

it('each of many sensitive texts is removed, also one that its record has no room for', () => {
  const pins = Array.from({ length: 200 }, (_, index) => `planted-${index}-pin`);
  const redact = createTextRedactor({
    args: { notes: Array(20).fill('x'.repeat(1_000)), people: pins.map((pin) => ({ pin })) },
    parameters: [
      { name: 'notes', type: 'array', items: { type: 'string' } },
      {
        name: 'people',
        type: 'array',
        items: { type: 'object', properties: { pin: { type: 'string', sensitive: true } } },
      },
    ],
    credentials: [],
  });
  expect(pins.map((pin) => redact(`no ${pin}`)).filter((text) => text !== 'no [REDACTED]')).toEqual([]);
});

it.each<[string, JsonValue]>([
  [
    'behind many short keys',
    [...Array(50).fill(Object.fromEntries([...'abcdefghijklmnopqrstuvwxyz'].map((key) => [key, true])))],
  ],
  ['behind more items than a record has', Array(500).fill(1)],
  ['behind long texts', Array(50).fill('x'.repeat(1_000))],
])('a credential is removed that its record has no room for: %s', (_, others) => {
  const nested = Array.from({ length: 40 }).reduce<JsonValue>((inner) => ({ inner }), {
    token: 'planted-two',
  });
  const list = [...(others as readonly JsonValue[]), { password: 'planted-one' }, nested];
  const args = { options: { list } };
  const redact = createTextRedactor({
    args,
    parameters: [{ name: 'options', type: 'object' }],
    credentials: [],
  });
  expect(redact('no planted-one, no planted-two')).toBe('no [REDACTED], no [REDACTED]');
});

it('repeats of sensitive values are removed from a result, however many values it has', () => {
  const row: TypeNode = {
    type: 'object',
    properties: { pin: { type: 'string', sensitive: true }, note: { type: 'string' } },
  };
  const rows = Array.from({ length: 100 }, (_, index) => ({
    pin: `planted-${index}-pin`,
    note: `has planted-${index}-pin`,
  }));
  expect(createRedactor().result(rows, { type: 'array', items: row })).toEqual(
    rows.map(() => ({ pin: '[REDACTED]', note: 'has [REDACTED]' })),
  );
});

it('of a value with too many sensitive texts no text is shown', () => {
  const redactor = createRedactor();
  const pins = Array.from({ length: 3_000 }, (_, index) => `planted-${index}-pin`);
  const shown = redactor.arguments({ note: 'has planted-2999-pin', pins }, [
    { name: 'note', type: 'string' },
    { name: 'pins', type: 'array', items: { type: 'string' }, sensitive: true },
  ]);
  expect(shown).toEqual({ note: '[REDACTED]', pins: '[REDACTED]' });
  expect(createRedactor(undefined, redactor.hidden).text('planted-2999-pin')).toBe('[REDACTED]');
});

it('a sensitive value is removed from keys, and equal keys are numbered', () => {
  const redactor = createRedactor();
  redactor.arguments({ accounts: ['ACME-123456', 'ACME-654321'] }, [
    { name: 'accounts', type: 'array', items: { type: 'string' }, sensitive: true },
  ]);
  expect(
    redactor.result({ 'ACME-123456': { total: 1 }, 'ACME-654321': { 'of ACME-123456': 2 }, total: 3 }, null),
  ).toEqual({ '[REDACTED]': { total: 1 }, '[REDACTED] (2)': { 'of [REDACTED]': 2 }, total: 3 });
});

it('a secret of the profile is removed from keys and numbers', () => {
  const { add, conceal } = createConcealment();
  add(['hunter2-secret', '12345678']);
  expect(createRedactor(conceal).result({ 'hunter2-secret': 12345678, other: 1234567 }, null)).toEqual({
    '[REDACTED]': '[REDACTED]',
    other: 1234567,
  });
});

it('the names of declared properties and parameters stay', () => {
  const parameters: Parameter[] = [
    { name: 'word', type: 'string', sensitive: true },
    { name: 'note', type: 'object', properties: { word: { type: 'string' } } },
  ];
  expect(
    createRedactor().arguments({ word: 'word', note: { word: 'one', 'word two': 'x' } }, parameters),
  ).toEqual({
    word: '[REDACTED]',
    note: { word: 'one', '[REDACTED] two': 'x' },
  });
});

it('a name that is no parameter is redacted', () => {
  const parameters: Parameter[] = [{ name: 'pin', type: 'string', sensitive: true }];
  expect(createRedactor().arguments({ pin: 'planted', 'for planted': 1 }, parameters)).toEqual({
    pin: '[REDACTED]',
    'for [REDACTED]': '[REDACTED]',
  });
});

it('a sensitive number is removed where a result repeats it, and not as a part of another number', () => {
  const redactor = createRedactor();
  redactor.arguments({ card: 4_111_111_111_111_111, pin: 12 }, [
    { name: 'card', type: 'integer', sensitive: true },
    { name: 'pin', type: 'integer', sensitive: true },
  ]);
  expect(
    redactor.result({ card_no: 4_111_111_111_111_111, other: 41_111_111_111_111_110, few: 12 }, null),
  ).toEqual({
    card_no: '[REDACTED]',
    other: 41_111_111_111_111_110,
    few: 12,
  });
});

it('a text is cut after sensitive values are removed', () => {
  const note = 'planted '.repeat(1_000);
  expect(redactorOf(note)(`${'x'.repeat(90)}${note}`, 95)).toBe(
    `${'x'.repeat(90)}[REDA[CUT: 5 more characters]`,
  );
});

it.each([
  [
    'quoted twice',
    3_100,
    (secret: string) => `first ${secret} second ${secret} end`,
    'first [REDACTED] second [REDACTED] end',
  ],
  ['longer than the searched part', 5_000, (secret: string) => `first ${secret} end`, 'first [REDACTED] end'],
  [
    'in a long text',
    3_100,
    (secret: string) => `${`${secret} `.repeat(50)}${'y'.repeat(50_000)}`,
    /^(\[REDACTED\] ){50}y+\[CUT/,
  ],
  [
    'percent-encoded',
    3_100,
    (secret: string) => `${encodeURIComponent(secret)} `.repeat(50),
    '[REDACTED] '.repeat(50),
  ],
])('a long secret of the profile is removed whole: %s', (_, length, quote, shown) => {
  const secret = Array.from({ length: length / 2 }, (__, index) => `+${(index * 7919) % 10}`).join('');
  const { add, conceal } = createConcealment();
  add([secret]);
  expect(createRedactor(conceal).text(quote(secret))).toEqual(
    typeof shown === 'string' ? shown : expect.stringMatching(shown),
  );
});

it('no part of a credential is shown where much of a text before it was removed', () => {
  const shown = createRedactor().text(
    `${`eyJ${'x'.repeat(1_000)} `.repeat(4)}AKIA${'A'.repeat(16)}${'y'.repeat(9_000)}`,
  );
  expect(shown).not.toContain('AKIA');
});

it('a text that is cut says how many characters are missing', () => {
  expect(createRedactor().text('x'.repeat(10_000))).toBe(`${'x'.repeat(1_024)}[CUT: 8976 more characters]`);
  expect(createRedactor().text('x'.repeat(2_000))).toBe(`${'x'.repeat(1_024)}[CUT: 976 more characters]`);
});
